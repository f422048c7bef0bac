import RetryCore
import RetryModel
import SystemKit
import Varlink

/// One client's connection: what came in, what goes out, and who it is.
final class Connection {
    let socket: OwnedFD
    let peer: PeerCredentials
    let caller: Caller
    /// The peer's process, once it was looked up for a lease.
    var holder: LeaseHolder?
    var token = PollToken?.none
    var splitter: FrameSplitter
    var replies = ReplyQueue()

    /// Why no further call is taken at present.
    enum Pause {
        case none
        /// A call asked the store before it can be carried out. Answers come in the order of the
        /// calls, so later ones wait.
        case asking
        /// A list is told page by page.
        case listing
        /// A Lease waits for something to run.
        case waiting
        /// A stream (`more`) has its connection to itself.
        case stream
    }
    var pause = Pause.none
    /// The client reads too slowly: calls are not read until it has caught up.
    var isThrottled = false
    /// The client must read before more can be sent.
    var watchesWritable = false
    /// What the descriptor is watched for at present.
    var watched: IOEvents = .readable
    /// The peer has closed its sending side: finish what it asked, then close.
    var isEnding = false
    /// Already in the list of connections whose answers are to be sent at the end of this turn.
    var isDirty = false
    var watch: WatchStream?
    var leaseStream: LeaseStream?

    init(socket: consuming OwnedFD, peer: PeerCredentials, caller: Caller, messageBytesMax: Int) {
        self.socket = socket
        self.peer = peer
        self.caller = caller
        splitter = FrameSplitter(
            frameBytesMax: messageBytesMax, readBytesMax: Limits.readBytesMax)
    }

    /// What it must be watched for now.
    var interest: IOEvents {
        var interest: IOEvents = []
        if pause == .none, !isThrottled, !isEnding { interest.insert(.readable) }
        if watchesWritable { interest.insert(.writable) }
        return interest
    }
}

/// Where an answer goes: a connection that may be gone by then, and the place in its order.
struct ReplyAddress: Hashable {
    var connection: PollToken
    /// The gap in the connection's `ReplyQueue`.
    var gap: Int
}
