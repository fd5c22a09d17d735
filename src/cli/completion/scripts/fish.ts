// Completion for fish: as a file svc.fish in its folder of completions, or sourced from config.fish.
export const fishScript = `# Fish completion for svc. \`svc autocomplete fish --print\` prints it.

function __svc_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] autocomplete complete --shell=fish --current="$current" -- $words[2..-1] 2>/dev/null)
    set -l header (string split \\t -- $lines[1])
    set -l prefix "$header[2]"
    if test "$header[1]" = files
        for path in (__fish_complete_path (string sub --start (math (string length -- "$prefix") + 1) -- "$current"))
            echo "$prefix$path"
        end
    else
        for line in $lines[2..-1]
            echo "$prefix$line"
        end
    end
end

complete --command svc --erase
complete --command svc --no-files --keep-order --arguments '(__svc_complete)'
`
