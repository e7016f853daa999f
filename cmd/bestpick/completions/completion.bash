# Completion of bestpick for bash: source <(bestpick completion bash)
_bestpick() {
	local IFS=$'\n'
	COMPREPLY=($(bestpick complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _bestpick bestpick
