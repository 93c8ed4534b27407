# SPDX-License-Identifier: BSD-3-Clause
# Completion in bash for ompi-info, mpiexec and mpirun. All it knows it asks the programs
# themselves.

# The ompi-info that belongs to the command that is being completed.
_tessera_info() {
  local program
  program=$(type -P -- "$1") || return
  "$(dirname -- "$program")/ompi-info" --parsable 2>/dev/null
}

# _tessera_facts COMMAND KIND FIELD [NAME]: names of a kind, or with NAME the value of its field.
_tessera_facts() {
  _tessera_info "$1" | awk -F'\t' -v kind="$2" -v field="$3" -v name="${4-}" \
    '$1 == kind && $3 == field { if (name == "") print $2; else if (name == $2) print $4 }'
}

_tessera_components() {
  _tessera_info "$1" | awk -F'\t' -v only="${2-}" \
    '$1 == "component" && $3 == "framework" { framework = $4 }
     $1 == "component" && $3 == "name" && (only == "" || only == framework) { print $4 }' | sort -u
}

# What may stand for a parameter's value, where that can be listed.
_tessera_values() {
  local allowed
  if [ "$(_tessera_facts "$1" framework interface "$2")" ]; then
    _tessera_components "$1" "$2"
  elif [ "$(_tessera_facts "$1" param type "$2")" = boolean ]; then
    printf '%s\n' true false
  else
    allowed=$(_tessera_facts "$1" param allowed "$2")
    case $allowed in *..*) ;; *) tr , '\n' <<<"$allowed" ;; esac
  fi
}

_tessera_options() {
  "$1" --help 2>/dev/null | awk '/^  -/ { print substr($0, 1, 34) }' | grep -oE -- '(^|[ ,])--?[A-Za-z][A-Za-z0-9-]*' | tr -d ' ,'
}

_tessera_complete() {
  local command=$1 word=$2 previous=$3 before=${COMP_WORDS[COMP_CWORD - 2]-} words=
  COMPREPLY=()
  case $before in --param)
    mapfile -t COMPREPLY < <(compgen -W "all $(_tessera_components "$command" "$previous")" -- "$word")
    return ;;
  esac
  case $before in --mca | -mca | --gmca | -gmca)
    mapfile -t COMPREPLY < <(compgen -W "$(_tessera_values "$command" "$previous")" -- "$word")
    return ;;
  esac
  case $previous in
    --mca | -mca | --gmca | -gmca | --why | -w) words=$(_tessera_facts "$command" param type) ;;
    --framework | -f) [ "${command##*/}" = ompi-info ] && words="core $(_tessera_facts "$command" framework interface)" ;;
    --component | -c) [ "${command##*/}" = ompi-info ] && words=$(_tessera_components "$command") ;;
    --path) [ "${command##*/}" = ompi-info ] && words=$("$command" --path | awk '{ print $1 }') ;;
    --param) [ "${command##*/}" = ompi-info ] && words="all $(_tessera_facts "$command" framework interface)" ;;
    --level | -l) [ "${command##*/}" = ompi-info ] && words="1 2 3 4 5 6 7 8 9" ;;
    --tune | -tune | --diff | --hostfile | --machinefile) compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return ;;
  esac
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_tessera_options "$command")" -- "$word")
  elif [ "${command##*/}" != ompi-info ]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -c -f -- "$word" | sort -u)
  fi
}

complete -F _tessera_complete ompi-info mpiexec mpirun
