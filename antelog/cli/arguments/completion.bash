%(complete_func)s() {
    local IFS=$'\n' line type value
    COMPREPLY=()
    for line in $(COMP_LINE="${COMP_LINE:0:COMP_POINT}" %(complete_var)s=bash_complete "$1"); do
        IFS=, read -r type value <<< "$line"
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            *) COMPREPLY+=("$value") ;;
        esac
        case $value in *=|*/) compopt -o nospace ;; esac
    done
}
complete -o nosort -F %(complete_func)s %(prog_name)s
