/// All commands, in the order help lists them. A new one is a file in Commands/ and a line here.
package enum CommandTable {
    package static let commands: [CommandDefinition] = [
        RunCommand.definition,
        SubmitCommand.definition,
        WorkCommand.definition,
        ListCommand.definition,
        ShowCommand.definition,
        WhyCommand.definition,
        ExplainCommand.definition,
        LogCommand.definition,
        CancelCommand.definition,
        RetryCommand.definition,
        RecoverCommand.definition,
        ResolveCommand.definition,
        ForegroundCommand.definition,
        SignalsCommand.definition,
        SignalCommand.definition,
        StatusCommand.definition,
        WatchCommand.definition,
        RulesCommand.definition,
        MetricsCommand.definition,
        ReloadCommand.definition,
        LogLevelCommand.definition,
        UnitFailedCommand.definition,
        CallCommand.definition,
    ]
}
