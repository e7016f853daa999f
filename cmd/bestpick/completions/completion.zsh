#compdef bestpick
# Completion of bestpick for zsh: source <(bestpick completion zsh)
_bestpick() {
	local -a found
	found=(${(f)"$(bestpick complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
	if (( ${#found} )); then
		compadd -a found
	else
		_files
	fi
}
compdef _bestpick bestpick
