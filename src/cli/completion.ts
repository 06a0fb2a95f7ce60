/**
 * `cotangent completion`: a script for each shell. A script knows no option. At each key press of Tab it calls `cotangent complete-words` with the
 * words up to the cursor (`complete.ts`), shows what comes back, and adds files where that says so.
 */
import type { Shell } from './values.ts'

const bash = String.raw`# Completion of cotangent for bash: source <(cotangent completion bash)
_cotangent() {
    local line word files=none current=${'$'}{COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :*) files=${'$'}{line#:} ;;
            *)
                word=${'$'}{line%%$'\t'*}
                if [[ $word == *= ]]; then type compopt &>/dev/null && compopt -o nospace 2>/dev/null; fi
                printf -v word %q "$word"
                COMPREPLY+=("$word")
                ;;
        esac
    done < <("$1" complete-words bash -- "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    # bash takes --output=name apart, and replaces what stands behind the =.
    [[ $current == = ]] && current=
    [[ $files == none ]] && return
    type compopt &>/dev/null && compopt -o filenames 2>/dev/null
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(
        case $files in
            slang) compgen -f -X '!*.slang' -- "$current" ;;
            any) compgen -f -X '' -- "$current" ;;
        esac
        [[ $files == any ]] || compgen -d -- "$current"
    )
}
complete -F _cotangent cotangent
`

const zsh = String.raw`#compdef cotangent
# Completion of cotangent for zsh: source <(cotangent completion zsh)
_cotangent() {
    local line files=none
    local -a found
    for line in "${'$'}{(@f)$("${'$'}{(Q)words[1]}" complete-words zsh -- "${'$'}{(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $line in
            :*) files=${'$'}{line#:} ;;
            *) found+=("${'$'}{${'$'}{line%%$'\t'*}//:/\\:}:${'$'}{line#*$'\t'}") ;;
        esac
    done
    (( $#found )) && _describe cotangent found
    [[ $files == none ]] && return
    [[ $PREFIX == --*=* ]] && compset -P '*='
    case $files in
        slang) _files -g '*.slang' ;;
        any) _files ;;
        folders) _files -/ ;;
    esac
}
if [[ $funcstack[1] == _cotangent ]]; then
    _cotangent "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
    compdef _cotangent cotangent
fi
`

const fish = String.raw`# Completion of cotangent for fish: cotangent completion fish | source
function __cotangent_complete
    set -l current (commandline -ct | string unescape)
    set -l words (commandline -opc) "$current"
    set -l lines ($words[1] complete-words fish -- $words[2..-1] 2>/dev/null)
    string match -v -- ':*' $lines
    switch "$lines[-1]"
        case :slang
            for path in (__fish_complete_path "$current")
                string match -r -- '^[^\t]*(?:/|\.slang)(?:\t.*)?$' $path
            end
        case :any
            __fish_complete_path "$current"
        case :folders
            __fish_complete_directories "$current" ''
    end
end
complete -c cotangent -f -a '(__cotangent_complete)'
`

const powershell = String.raw`# Completion of cotangent for PowerShell: cotangent completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName cotangent -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $elements = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    $command = $elements[0]
    $words = @($elements | Select-Object -Skip 1)
    if ($wordToComplete -ne '' -and $words.Count -gt 0) { $words = @($words | Select-Object -SkipLast 1) }
    # An empty word would be lost on the way: the last one begins with a colon.
    $lines = @(& $command complete-words powershell '--' @words ":$wordToComplete" 2>$null)
    $files = 'none'
    $found = @()
    foreach ($line in $lines) {
        if ($line.StartsWith(':')) { $files = $line.Substring(1); continue }
        $word, $about = $line -split [char]9, 2
        if (-not $about) { $about = $word }
        $found += [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
    }
    if ($files -ne 'none') {
        $found += @([System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete) | Where-Object {
            $_.ResultType -eq 'ProviderContainer' -or $files -eq 'any' -or ($files -eq 'slang' -and $_.ListItemText -like '*.slang')
        })
    }
    if ($found.Count -eq 0) { '' } else { $found }
}
`

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell }

/** The script for a shell. */
export function completionScript(shell: Shell): string {
  return scripts[shell]
}
