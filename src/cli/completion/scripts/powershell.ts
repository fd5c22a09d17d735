// Completion for PowerShell 5.1 and newer. An empty argument would get lost on the way to a program, so the word that is typed
// is part of one that is never empty.
export const powershellScript = `# PowerShell completion for svc. \`svc autocomplete powershell --print\` prints it.

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
    })
    $program = $commandAst.GetCommandName()
    $lines = @(& $program 'autocomplete' 'complete' '--shell=powershell' "--current=$wordToComplete" '--' @words 2>$null)
    if ($lines.Count -eq 0) { return }

    $kind, $prefix = $lines[0] -split "\`t", 2
    if ($kind -eq 'files') {
        # Without an answer, PowerShell completes file names by itself.
        if ($prefix) {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete.Substring($prefix.Length)) | ForEach-Object {
                [System.Management.Automation.CompletionResult]::new($prefix + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip)
            }
        }
        return
    }
    # An empty answer keeps it from doing so where no file is meant.
    if ($lines.Count -eq 1) { return '' }
    $lines | Select-Object -Skip 1 | ForEach-Object {
        $value, $description = $_ -split "\`t", 2
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($prefix + $value, $value, 'ParameterValue', $description)
    }
}
`
