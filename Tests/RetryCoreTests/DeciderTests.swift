import RetryModel
import Testing

@testable import RetryCore

@Suite
struct DeciderTests {
    private static let now = Fixture.start

    /// Decides by the policy without jitter unless told otherwise.
    private func decide(
        _ verdict: Verdict, _ context: DecisionContext = DeciderTests.context(),
        _ policy: Policy = Fixture.exact, seed: UInt64 = 42
    ) -> Decision {
        var random = SplitMix64(seed: seed)
        return Decider.decide(
            verdict, rule: verdict.rule.map { RuleIndex($0 + 1) } ?? 0, context: context,
            policy: policy, policyIndex: 3, now: Self.now, random: &random)
    }

    private static func context(
        _ change: (inout DecisionContext) -> Void = { _ in }
    ) -> DecisionContext {
        var context = DecisionContext()
        change(&context)
        return context
    }

    // MARK: Dispositions

    @Test
    func aRetryWaitsForItsBackoff() {
        let decision = decide(.again)
        #expect(
            decision
                == Decision(
                    disposition: .retry, condition: .now, action: .none, hint: nil,
                    hintClamped: false, rule: 1, policy: 3, outcome: .waiting,
                    due: Self.now.instant + .seconds(2), dueWall: nil, delay: .seconds(2)))
    }

    @Test
    func theBackoffFollowsTheAttempts() {
        let decision = decide(.again, Self.context { $0.attempts = 5 })
        #expect(decision.delay == .seconds(32))
        #expect(decision.due == Self.now.instant + .seconds(32))
    }

    @Test
    func jitterIsDrawnFromTheSeed() {
        let decision = decide(.again, Self.context(), .standard)
        #expect(decision.delay.usec == 1_483_130)
    }

    @Test
    func permanentFailuresAreDeadWithTheirAction() {
        let decision = decide(.never)
        #expect(decision.outcome == .dead(.permanent))
        #expect(decision.action == .modifyConfiguration)
        #expect(decision.due == nil)
        #expect(decision.delay == .zero)
    }

    @Test
    func aNewFlowParks() {
        #expect(decide(.newFlow).outcome == .parked(.newFlow))
    }

    @Test
    func signingInAgainParksWithoutACredential() {
        #expect(decide(.signIn).outcome == .parked(.reauthenticate))
    }

    @Test
    func signingInAgainWaitsForACredential() {
        let decision = decide(.signIn, Self.context { $0.hasCredential = true })
        #expect(decision.outcome == .waiting)
        #expect(decision.condition == .now)
        #expect(decision.due == Self.now.instant)
    }

    @Test
    func theConditionIsKept() {
        #expect(decide(.foreground).condition == .whenForeground)
        let custom = Verdict(disposition: .retry, condition: .custom("vpn"), rule: 0)
        #expect(decide(custom).condition == .custom("vpn"))
        // It means nothing but for retry.
        let odd = Verdict(disposition: .permanent, condition: .network, rule: 0)
        #expect(decide(odd).condition == .now)
    }

    // MARK: Unknown failures

    @Test
    func unknownFailuresArePermanent() {
        let decision = decide(.unknown)
        #expect(decision.outcome == .dead(.permanent))
        #expect(decision.action == .introspectCause)
        #expect(decision.rule == 0)
    }

    @Test
    func unknownFailuresAreRetriedWhenAskedFor() {
        let decision = decide(.unknown, Self.context { $0.retriesUnknown = true })
        #expect(decision.disposition == .retry)
        #expect(decision.action == .none)
        #expect(decision.outcome == .waiting)
        #expect(decision.delay == .seconds(2))
    }

    @Test
    func aKnownPermanentFailureStopsAlsoWhoRetriesUnknownOnes() {
        let decision = decide(.never, Self.context { $0.retriesUnknown = true })
        #expect(decision.outcome == .dead(.permanent))
    }

    // MARK: Repeats of a rule

    private static let once = Verdict(
        disposition: .retry, rule: 8, repeatMax: 1,
        repeatFallback: Verdict.Fallback(disposition: .newFlow, action: .none))

    @Test
    func aRuleSpeaksAsOftenAsItMay() {
        #expect(decide(Self.once).disposition == .retry)
        let again = Self.context {
            $0.previousRule = 9
            $0.ruleRepeats = 1
        }
        let fallback = decide(Self.once, again)
        #expect(fallback.disposition == .newFlow)
        #expect(fallback.outcome == .parked(.newFlow))
    }

    @Test
    func anotherRuleBetweenStartsTheCountAnew() {
        let other = Self.context {
            $0.previousRule = 4
            $0.ruleRepeats = 7
        }
        #expect(decide(Self.once, other).disposition == .retry)
    }

    @Test
    func aLimitOfZeroIsNone() {
        var verdict = Self.once
        verdict.repeatMax = 0
        let often = Self.context {
            $0.previousRule = 9
            $0.ruleRepeats = .max
        }
        #expect(decide(verdict, often).disposition == .retry)
    }

    @Test
    func withoutAWordTheFallbackIsToLook() {
        let verdict = Verdict(disposition: .retry, rule: 8, repeatMax: 2)
        let third = Self.context {
            $0.previousRule = 9
            $0.ruleRepeats = 2
        }
        let decision = decide(verdict, third)
        #expect(decision.outcome == .dead(.permanent))
        #expect(decision.action == .introspectCause)
    }

    // MARK: Limits

    @Test
    func attemptsRunOut() {
        #expect(decide(.again, Self.context { $0.attempts = 19 }).outcome == .waiting)
        #expect(
            decide(.again, Self.context { $0.attempts = 20 }).outcome
                == .dead(.attemptsExhausted))
        #expect(
            decide(.again, Self.context { $0.attempts = .max }).outcome
                == .dead(.attemptsExhausted))
    }

    @Test
    func ageRunsOut() {
        let young = Self.context {
            $0.age = Span(usec: Span.days(5).usec - 1)
        }
        #expect(decide(.again, young).outcome == .waiting)
        let old = Self.context { $0.age = .days(5) }
        #expect(decide(.again, old).outcome == .dead(.tooOld))
        let ancient = Self.context { $0.age = Span(usec: .max) }
        #expect(decide(.again, ancient).outcome == .dead(.tooOld))
    }

    @Test
    func aDeadlineBeforeTheNextAttemptIsDecidedAtOnce() {
        let reachable = Self.context { $0.deadline = Self.now.wall + .seconds(2) }
        #expect(decide(.again, reachable).outcome == .waiting)
        let missed = Self.context { $0.deadline = Self.now.wall + Span(usec: 1_999_999) }
        let decision = decide(.again, missed)
        #expect(decision.outcome == .dead(.deadline))
        #expect(decision.due == nil)
    }

    @Test
    func aHintPastTheDeadlineIsDecidedAtOnce() {
        let context = Self.context { $0.deadline = Self.now.wall + .minutes(5) }
        #expect(decide(.again(after: .minutes(6)), context).outcome == .dead(.deadline))
        #expect(decide(.again(after: .minutes(4)), context).outcome == .waiting)
    }

    @Test
    func whatIsNoRetryHasNoLimits() {
        let spent = Self.context {
            $0.attempts = .max
            $0.deadline = WallTime(usec: 0)
            $0.age = Span(usec: .max)
            $0.hasCredential = true
        }
        #expect(decide(.newFlow, spent).outcome == .parked(.newFlow))
        #expect(decide(.signIn, spent).outcome == .waiting)
    }

    // MARK: Foreground

    @Test
    func theThirdFailureInTheForegroundParks() {
        for repeats in 0...1 as ClosedRange<UInt8> {
            let context = Self.context {
                $0.hadForeground = true
                $0.foregroundRepeats = repeats
            }
            #expect(decide(.foreground, context).outcome == .waiting)
        }
        for repeats in [2, 3, .max] as [UInt8] {
            let context = Self.context {
                $0.hadForeground = true
                $0.foregroundRepeats = repeats
            }
            #expect(decide(.foreground, context).outcome == .parked(.foregroundLoop))
        }
    }

    @Test
    func failuresInTheBackgroundDoNotCount() {
        let context = Self.context {
            $0.hadForeground = false
            $0.foregroundRepeats = .max
        }
        #expect(decide(.foreground, context).outcome == .waiting)
    }

    // MARK: Hints

    /// max(hint, back-off) + U(0, max(1 s, hint / 10)), the numbers by hand from seed 42.
    @Test(
        arguments: [
            (.seconds(30), 32_224_695), (.seconds(20), 21_483_130),
            (.seconds(180), 193_348_168), (.hours(6), 23_201_780_138), (.seconds(2), 2_741_565),
            // Shorter than the back-off of 2 s.
            (.seconds(1), 2_741_565), (Span(usec: 1), 2_741_565),
        ] as [(Span, Int64)])
    func aHintIsAFloorWithItsOwnSpread(hint: Span, delay: Int64) {
        let decision = decide(.again(after: hint))
        #expect(decision.hint == hint)
        #expect(decision.delay.usec == delay)
        #expect(decision.due == Self.now.instant + Span(usec: delay))
        #expect(!decision.hintClamped)
        #expect(decision.dueWall == nil)
    }

    @Test
    func theSpreadIsDrawnAfterTheJitter() {
        let decision = decide(.again(after: .seconds(30)), Self.context(), .standard)
        #expect(decision.delay.usec == 30_479_731)
    }

    @Test(arguments: [Span.zero, Span(usec: -1), Span(usec: .min)])
    func aHintOfNothingLeavesTheBackoff(hint: Span) {
        let decision = decide(.again(after: hint))
        #expect(decision.delay == .seconds(2))
        #expect(decision.hint == hint)
    }

    @Test
    func aHintCountsFromItsReceipt() {
        // 40 s were said 10 s ago: 30 s are left.
        let decision = decide(
            .again(after: .seconds(40), receivedAt: Self.now.wall + .seconds(-10)))
        #expect(decision.hint == .seconds(40))
        #expect(decision.delay.usec == 32_224_695)
    }

    @Test
    func aHintOfLongAgoIsSpent() {
        let decision = decide(
            .again(after: .seconds(40), receivedAt: Self.now.wall + .minutes(-1)))
        #expect(decision.delay == .seconds(2))
        let ancient = decide(.again(after: Span(usec: .max), receivedAt: WallTime(usec: .min)))
        #expect(ancient.delay == .seconds(2))
    }

    @Test
    func aReceiptInTheFutureAddsNothing() {
        let decision = decide(
            .again(after: .seconds(30), receivedAt: Self.now.wall + .hours(1)))
        #expect(decision.delay.usec == 32_224_695)
    }

    @Test
    func aDateIsFollowedByTheWallClock() {
        let decision = decide(.again(at: Self.now.wall + .seconds(30)))
        #expect(decision.hint == .seconds(30))
        #expect(decision.delay.usec == 32_224_695)
        #expect(decision.dueWall == Self.now.wall + Span(usec: 32_224_695))
    }

    @Test
    func aDateThatDoesNotDecideIsForgotten() {
        let decision = decide(.again(at: Self.now.wall + .seconds(1)))
        #expect(decision.delay.usec == 2_741_565)
        #expect(decision.dueWall == nil)
    }

    @Test
    func aDateThatPassedLeavesTheBackoff() {
        let decision = decide(
            .again(at: Self.now.wall + .seconds(-5), receivedAt: Self.now.wall + .seconds(-25)))
        // It was 20 s away when it came.
        #expect(decision.hint == .seconds(20))
        #expect(decision.delay == .seconds(2))
        #expect(decision.dueWall == nil)
        #expect(decide(.again(at: WallTime(usec: .min))).delay == .seconds(2))
    }

    @Test
    func aHintOverTheCapIsCut() {
        let decision = decide(.again(after: .days(2)))
        #expect(decision.hint == .days(2))
        #expect(decision.hintClamped)
        #expect(decision.delay.usec == 23_201_780_138)
        // A date that was cut is no date.
        let dated = decide(.again(at: Self.now.wall + .days(2)))
        #expect(dated.hintClamped)
        #expect(dated.dueWall == nil)
        #expect(dated.delay.usec == 23_201_780_138)
        let longest = decide(.again(after: Span(usec: .max)))
        #expect(longest.delay.usec == 23_201_780_138)
    }

    @Test
    func aHintOverTheCapIsTheEndWhereThePolicySaysSo() {
        var policy = Fixture.exact
        policy.hintOverMax = .dead
        #expect(
            decide(.again(after: .days(2)), Self.context(), policy).outcome
                == .dead(.hintBeyondCap))
        let atTheCap = decide(.again(after: policy.hintMax), Self.context(), policy)
        #expect(atTheCap.outcome == .waiting)
        #expect(!atTheCap.hintClamped)
    }

    @Test
    func theWallsEndsDoNotTrap() {
        let late = Now(instant: Instant(usec: .max - 5), wall: WallTime(usec: .max - 5))
        var random = SplitMix64(seed: 1)
        let decision = Decider.decide(
            .again, rule: 1, context: DecisionContext(),
            policy: Fixture.exact, policyIndex: 0, now: late, random: &random)
        #expect(decision.due == .never)
    }
}
