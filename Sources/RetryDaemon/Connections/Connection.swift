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
    /// The process that made the connection, for counting how many it has.
    let peerProcess: PeerProcess
    var token = PollToken?.none
    var splitter: FrameSplitter
    var replies = ReplyQueue()

    /// Why no further call is taken at present.
    enum Pause: Equatable {
        case none
        /// A call asked the store before it can be carried out. Answers come in the order of the
        /// calls, so later ones wait.
        case asking(isOneway: Bool)
        /// A call is carried out piece by piece: a list, an act on many operations.
        case running
        /// A Lease waits for something to run.
        case waiting
        /// A stream (`more`) has its connection to itself.
        case stream
    }
    var pause = Pause.none {
        didSet { if pause != .running { workBytes = 0 } }
    }
    /// What the call that is carried out piece by piece may take in memory.
    var workBytes = 0
    /// What all connections of its user take; `chargedBytes` of it for this one.
    let share: UserShare
    var chargedBytes = 0
    /// Already in the list of connections that wait for room for answers.
    var waitsForAnswerRoom = false
    /// The client reads too slowly: calls are not read until it has caught up.
    var isThrottled = false
    /// No call is read until the batch that fills is handed over: it holds enough.
    var waitsForRoom = false
    /// What goes on when the client has read some of what is there.
    var continuation: (() -> Void)?
    /// The client must read before more can be sent.
    var watchesWritable = false
    /// What the descriptor is watched for at present.
    var watched: IOEvents = .readable
    /// The peer has closed its sending side: finish what it asked, then close.
    var isEnding = false
    /// What it sends is not the protocol: nothing of it is looked at any more.
    var isBroken = false
    /// The peer is gone while a call of it is under way: what it sent before is carried out, and
    /// nothing is sent.
    var hasHungUp = false
    /// Already in the list of connections with answers that wait for a batch.
    var isAwaitingStore = false
    /// The calls that are expected of it.
    var expected = Company.Mark()
    /// Already in the list of connections whose answers are to be sent at the end of this turn.
    var isDirty = false
    var watch: WatchStream?
    var leaseStream: LeaseStream?
    /// The lane of the last Submit.
    var lastLane: LaneMemo?

    /// It has been let go; who still knows it leaves it alone.
    var isClosed: Bool { token == nil }

    /// What is kept in memory to answer it: what it left unread, what waits for a batch, and what
    /// the store is asked for.
    var answerBytes: Int {
        replies.byteCount + workBytes
            + (watch?.meanwhile?.count ?? 0) * MemoryLayout<WatchEvent>.stride
    }

    init(
        socket: consuming OwnedFD, peer: PeerCredentials, caller: Caller, share: UserShare,
        messageBytesMax: Int
    ) {
        self.share = share
        self.socket = socket
        self.peer = peer
        self.caller = caller
        peerProcess = PeerProcess(user: peer.user, process: peer.process)
        splitter = FrameSplitter(
            frameBytesMax: messageBytesMax, readBytesMax: Limits.readBytesMax)
    }

    /// What it must be watched for now.
    var interest: IOEvents {
        // Empty by its number: an empty literal is made by generic code, at each call.
        var interest = IOEvents(rawValue: 0)
        if pause == .none, !isThrottled, !isEnding, !waitsForRoom { interest.insert(.readable) }
        if watchesWritable { interest.insert(.writable) }
        // A hang-up is told without being asked for, again and again unless by changes only.
        if hasHungUp, interest.isEmpty { return .edgeTriggered }
        return interest
    }
}

/// A process as its connections know it. All those of a user that have no number here, being in
/// another namespace, are one.
struct PeerProcess: Hashable {
    var user: UserID
    var process: Int32
}

/// What the connections of one user take of the daemon.
final class UserShare {
    var connectionCount = 0
    /// Memory for answers, see `Connection.answerBytes`.
    var answerBytes = 0
}

/// Where an answer goes: a connection that may be gone by then, and the place in its order.
struct ReplyAddress: Hashable {
    var connection: PollToken
    /// The gap in the connection's `ReplyQueue`.
    var gap: Int
}
