import RetryModel
package import SystemKit

/// Keeps operations safe on disk: spec section 3.
///
/// Opening and recovery run on the caller's thread. `start` moves the connection to the store
/// thread, which carries out one batch after the other; the caller goes on and learns of the end
/// of each by a completion. Everything here is called by one thread, the loop's.
package final class Store {
    private let channel: StoreChannel
    /// Touched by this thread only while there is no store thread.
    private let writer: StoreWriter
    private let path: String
    private var thread: Thread?
    private var checkpointer: (Checkpointer, Thread)?
    /// Batches to be filled again.
    private var spares: [StoreBatch] = []
    /// Batches handed over whose completions were not taken.
    private var underWay = 0
    /// Properties are dropped in their order: the lock after the connection.
    private let lock: LockFile

    /// Opens the store in a directory, and makes it if there is none.
    ///
    /// - Throws: What is the matter and what to do about it; then nothing was changed.
    package convenience init(directory: String) throws(StoreOpenError) {
        try self.init(directory: directory, schema: .current)
    }

    init(directory: String, schema: Schema) throws(StoreOpenError) {
        lock = try Store.takeLock(directory)
        path = "\(directory)/\(StoreFile.databaseName)"
        let database = try StoreFile.open(directory: directory, schema: schema)
        do {
            writer = try StoreWriter(database: database)
        } catch {
            throw .damaged(path: path, detail: error.message)
        }
        do {
            channel = try StoreChannel()
        } catch {
            throw .system(error)
        }
    }

    private static func takeLock(_ directory: String) throws(StoreOpenError) -> LockFile {
        do {
            guard let status = try Files.status(directory) else {
                throw StoreOpenError.directoryMissing(path: directory)
            }
            guard status.kind == .directory else {
                throw StoreOpenError.notADirectory(path: directory)
            }
            return try LockFile(path: "\(directory)/\(StoreFile.lockName)")
        } catch let error as StoreOpenError {
            throw error
        } catch let error as SystemError {
            throw .system(error)
        } catch LockFileError.held(let path, let process) {
            throw .held(path: path, process: process)
        } catch LockFileError.system(let error) {
            throw .system(error)
        } catch {
            preconditionFailure("locking throws two kinds of errors")
        }
    }

    deinit {
        precondition(thread == nil, "a store is stopped before it is dropped")
    }

    // MARK: Start and stop

    /// Gives everything that is stored to the visitor. Before `start`, or after `stop`: the core
    /// is rebuilt that way when a commit failed.
    package func recover(into visitor: inout some StoreVisitor) throws(StoreError) {
        precondition(thread == nil, "recovery needs the connection the store thread has")
        try writer.recover(into: &visitor)
    }

    /// Starts the store thread.
    package func start() throws(SystemError) {
        precondition(thread == nil, "the store thread runs already")
        let checkpointer = try Checkpointer(path: path, log: writer.log)
        let checkpointThread = try Thread.spawn(name: "checkpoint") { checkpointer.run() }
        self.checkpointer = (checkpointer, checkpointThread)
        let work = StoreThread(writer: writer, checkpointer: checkpointer, channel: channel)
        do {
            thread = try Thread.spawn(name: "store") { work.run() }
        } catch {
            stopCheckpointer()
            throw error
        }
    }

    /// Carries out what was handed over, then ends the store thread. Completions that were not
    /// taken can be taken afterwards.
    package func stop() {
        guard let thread else { return }
        channel.putStop()
        thread.join()
        self.thread = nil
        stopCheckpointer()
    }

    private func stopCheckpointer() {
        guard let (checkpointer, thread) = checkpointer else { return }
        checkpointer.stop()
        thread.join()
        self.checkpointer = nil
    }

    // MARK: Batches

    /// An empty batch, with the memory of an earlier one where there is one.
    package func makeBatch(sequence: UInt64) -> StoreBatch {
        guard var batch = spares.popLast() else { return StoreBatch(sequence: sequence) }
        batch.clear(sequence: sequence)
        return batch
    }

    /// Gives a completed batch back, to be filled again.
    package func recycle(_ batch: consuming StoreBatch) {
        if spares.count < Store.sparesMax { spares.append(batch) }
    }

    /// One filling, one queued, one carried out, one being looked at.
    private static let sparesMax = 4

    /// Nothing is being carried out and nothing queued.
    package var isIdle: Bool { underWay == 0 }

    /// A batch may be handed over: none is queued behind the one being carried out.
    package var canSubmit: Bool { underWay < 2 }

    /// Hands a batch over. It is carried out after those handed over before.
    ///
    /// - Precondition: `canSubmit`.
    package func submit(_ batch: consuming StoreBatch) {
        precondition(canSubmit, "a batch is handed over while another is queued")
        underWay += 1
        var batch = batch
        batch.closeChunk()
        channel.put(batch)
    }

    /// Asks for a small write, to see whether the store can be written again after a batch
    /// failed. The answer is a completion of kind `probe`; when it is `committed`, batches are
    /// taken again.
    package func probe() {
        channel.putProbe()
    }

    /// Readable when there are completions to take.
    package var completionFD: Int32 { channel.toLoop.fileDescriptor }

    /// Takes all completions there are, in the order of their batches.
    package func takeCompletions() -> [StoreCompletion] {
        let completions = channel.takeCompletions()
        for completion in completions where completion.kind == .batch {
            underWay -= 1
        }
        return completions
    }
}
