# Completion of bestpick for fish: bestpick completion fish | source
function __bestpick_complete
	set -l words (commandline -opc)
	bestpick complete -- $words[2..] (commandline -ct) 2>/dev/null
end
complete -c bestpick -a '(__bestpick_complete)'
