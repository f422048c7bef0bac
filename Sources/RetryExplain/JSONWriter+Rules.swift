package import JSON
import RetryModel
package import RetryRules

extension JSONWriter {
    /// `rules`: all in force, in the order in which they are asked.
    package mutating func rulesMember(_ rules: RuleSet) {
        name("rules")
        beginArray()
        for rule in rules.rules { self.rule(rule) }
        endArray()
    }

    /// `rules`: those of a name, with all there is to them. There may be several, of several files.
    package mutating func rulesMember(_ rules: RuleSet, named name: String) {
        self.name("rules")
        beginArray()
        for (number, rule) in rules.rules.enumerated() where rule.name == name {
            ruleInFull(number, rules)
        }
        endArray()
    }

    /// The type `Rule`: a line of the list.
    mutating func rule(_ rule: Rule) {
        beginObject()
        ruleMembers(rule)
        endObject()
    }

    /// The type `Rule` with all there is to show.
    ///
    /// - Parameter number: Its place in the set.
    package mutating func ruleInFull(_ number: Int, _ rules: RuleSet) {
        let rule = rules.rules[number]
        beginObject()
        ruleMembers(rule)
        name("source")
        text(rule.source.isEmpty ? nil : rule.source)
        conditions(rules.conditions(of: number))
        name("hints")
        texts(rule.then.hints)
        name("applied")
        string(rule.then.applied.name)
        name("limit")
        if rule.then.limit > 0 { integer(Int64(rule.then.limit)) } else { null() }
        name("after_limit")
        text(rule.then.limit > 0 ? rule.then.afterLimit.phrase : nil)
        name("messages")
        beginArray()
        for messages in rule.texts { self.messages(messages) }
        endArray()
        endObject()
    }

    private mutating func ruleMembers(_ rule: Rule) {
        name("name")
        string(rule.name)
        name("phase")
        string(rule.phase.name)
        name("decision")
        string(rule.then.decision.phrase)
        name("policy")
        text(rule.then.policy)
        name("file")
        string(rule.file)
        name("line")
        integer(Int64(rule.line))
        name("description")
        text(rule.description.isEmpty ? nil : rule.description)
    }

    /// `when`: lists of sentences, all of one of which must hold, and `pack`, the same for all
    /// rules of its file.
    private mutating func conditions(_ conditions: (any: [[String]], pack: [[String]])) {
        name("when")
        beginArray()
        for all in conditions.any { texts(all) }
        endArray()
        name("pack")
        beginArray()
        for all in conditions.pack { texts(all) }
        endArray()
    }

    private mutating func texts(_ texts: [String]) {
        beginArray()
        for text in texts { string(text) }
        endArray()
    }
}
