import JSON

// Facts that are read from others, as the packs say with [[fact]].
extension Classifier {
    /// Fills every slot that a fact names and the document did not.
    func derive(onlyOfCause: Bool) {
        for number in tables.facts.indices
        where tables.hasSource(ofFact: number, in: facts.present) {
            let step = tables.facts[number]
            if onlyOfCause, !step.followsCause { continue }
            let target = Int(step.target)
            guard !facts.has(target) else { continue }
            for index in step.sources.range {
                let source = Int(tables.sources[index])
                guard facts.has(source), holdsAny(step.when) else { continue }
                guard let fact = take(step, from: source) else { continue }
                facts.set(target, fact)
                break
            }
        }
    }

    private func take(_ step: FactStep, from slot: Int) -> Fact? {
        let fact = facts.values[slot]
        switch fact.kind {
        case .text, .integer, .double, .bool:
            return take(step, of: fact)
        case .array:
            if step.take == .retryInfo { return retryInfo(in: facts.containers[slot]) }
            var found: Fact?
            forEachScalar(of: slot) { element in
                found = take(step, of: element)
                return found != nil
            }
            return found
        case .object:
            return nil
        }
    }

    private func take(_ step: FactStep, of fact: Fact) -> Fact? {
        switch step.take {
        case .whole:
            return fact
        case .errnoName:
            guard let number = fact.whole else { return nil }
            return ErrnoNames.name(of: number, on: platform(of: step)).map(Fact.init(literal:))
        case .addressInfoName:
            guard let number = fact.whole else { return nil }
            return AddressInfoNames.name(of: number, on: platform(of: step))
                .map(Fact.init(literal:))
        case .signalName:
            return signalName(of: fact)
        case .basename, .firstWord, .lastLabel, .awsName, .host, .challengeError, .statusInText:
            guard fact.kind == .text else { return nil }
            return take(step.take, of: fact.text)
        case .retryInfo:
            return nil
        }
    }

    private func take(_ take: FactTake, of text: UnsafeBufferPointer<UInt8>) -> Fact? {
        if take == .statusInText {
            return TextTake.status(in: text).map { status in Fact(kind: .integer, bits: status) }
        }
        let range: Range<Int>?
        switch take {
        case .basename: range = TextTake.basename(of: text)
        case .firstWord: range = TextTake.firstWord(of: text)
        case .lastLabel: range = TextTake.lastLabel(of: text)
        case .awsName: range = TextTake.awsName(of: text)
        case .host: range = TextTake.host(of: text)
        case .challengeError: range = TextTake.challengeError(of: text)
        case .whole, .statusInText, .errnoName, .addressInfoName, .signalName, .retryInfo:
            range = nil
        }
        guard let range, !range.isEmpty, let base = text.baseAddress else { return nil }
        return Fact(text: base + range.lowerBound, count: range.count)
    }

    private func platform(of step: FactStep) -> Platform {
        guard step.platform >= 0, let fact = facts[Int(step.platform)], fact.kind == .text else {
            return step.platformDefault
        }
        if TextMatch.contains(fact.text, "linux") || TextMatch.contains(fact.text, "android") {
            return .linux
        }
        let isApple =
            TextMatch.contains(fact.text, "darwin")
            || TextMatch.contains(fact.text, "mac") || TextMatch.contains(fact.text, "ios")
            || TextMatch.contains(fact.text, "apple")
        return isApple ? .darwin : step.platformDefault
    }

    /// `SIGTERM` of 15, `TERM` or `SIGTERM`.
    private func signalName(of fact: Fact) -> Fact? {
        if let number = fact.whole {
            return SignalNames.name(of: number).map(Fact.init(literal:))
        }
        guard fact.kind == .text, fact.count <= 16 else { return nil }
        return SignalNames.name(spelt: fact.text).map(Fact.init(literal:)) ?? fact
    }

    /// The `retryDelay` of the `google.rpc.RetryInfo` in a list of details: a text as JSON writes
    /// a protobuf duration, or its parts (google/rpc/error_details.proto).
    private func retryInfo(in details: JSONValue) -> Fact? {
        guard let elements = details.elements else { return nil }
        for detail in elements {
            guard let type = detail["@type"]?.text?.bytes else { continue }
            guard TextMatch.matches(type, "*RetryInfo") else { continue }
            guard let delay = detail["retryDelay"] ?? detail["retry_delay"] else { continue }
            if let fact = Fact(scalar: delay) { return fact }
            let seconds = delay["seconds"].flatMap { value in Fact(scalar: value)?.whole } ?? 0
            let nanoseconds = delay["nanos"]?.double ?? 0
            return Fact(double: Double(seconds) + nanoseconds / 1e9)
        }
        return nil
    }
}

extension TextMatch {
    fileprivate static func contains(
        _ text: UnsafeBufferPointer<UInt8>, _ part: StaticString
    ) -> Bool {
        find(part, in: text) != nil
    }

    fileprivate static func matches(
        _ text: UnsafeBufferPointer<UInt8>, _ pattern: StaticString
    ) -> Bool {
        matches(
            text,
            pattern: UnsafeBufferPointer(
                start: pattern.utf8Start, count: pattern.utf8CodeUnitCount))
    }
}
