/// The kind of a journal entry, as its MESSAGE_ID says it (sd-id128(3), catalog in
/// systemd/retryd.catalog).
///
/// An id names its kind for ever: scripts and alerts search for it. A new kind gets a new id from
/// `systemd-id128 new`; an id is never given to another kind.
package enum MessageID: String, CaseIterable, Sendable {
    /// A failed operation was taken in.
    case accepted = "0442db35f5b34e0eb68723d073a89a1f"
    /// An attempt failed and another one follows.
    case attemptFailed = "655da85c1d084533b964cdb17a94b025"
    /// No further attempt will be made.
    case gaveUp = "191b8e3b5b3a4a30820929cd845ac79f"
    /// An attempt succeeded.
    case succeeded = "9cec7e478d474202b2d0fce9eb77d7da"
    /// A lease, or a worker with all its leases, was lost.
    case recovered = "448d2b91754840b8af3d5f233fdee4e5"
    /// An operation waits for a signal or was paused.
    case held = "670d9c925c8443d097d92ed8ca496bf2"
    /// A sign-in was refused: everything of its owner that names it waits.
    case credentialHeld = "a290b82a7df5461d9019d327e0dd3da8"
    /// A signal was set; what waited for it is held no longer.
    case released = "d4aaba23732346e695bcd283fcdb9c57"
    /// A destination failed too often, may be probed, or works again.
    case breaker = "4c8c7b82720546208e8b5dfe24b0eca8"
    /// A herd of operations that became runnable together has been released.
    case herdReleased = "2381ac3744314995aeb8d1cb48b0c7be"
    /// Somebody paused or resumed.
    case paused = "5822891027044ba0b25602fa0b306b78"
    /// An operation waits for its owner or a person to act.
    case parked = "39f698e639be4c0b8314f22c0791df22"
    /// Further failures of a destination that were told at debug only.
    case summary = "b4c6d90e76d04c0a889e69177f7e39b7"
    /// A connection or a call was refused.
    case refused = "4505baf905744f6abbad5bf3d5f211b8"
    /// The store cannot be written, or can be written again.
    case storeTrouble = "3bb978f7b0da45a18d4a749de3f0e0e1"
    /// A configuration or rule file is wrong.
    case configurationRefused = "b2e1ced2c0a145d4aedc326474d5bd91"
    /// New configuration and rules are in force.
    case reloaded = "9e89b5bdfbd74477b0c7da16b2165e4b"
    /// The daemon serves.
    case started = "b90505843fe046749525b49189dcda7e"
    /// The daemon goes down in good order.
    case stopping = "e1382119778546d7a96bad716de49400"
}
