import SystemKit
import Testing

/// A caller inside a box that hands operations over one after the other.
struct Load {
    /// Operations that were answered, by the word of the caller.
    var answered: Int
    /// Of a hundred calls the slowest but one, in milliseconds.
    var p99Ms: Double

    /// `python3 load.py SECONDS`: each operation has a key of its own; a call whose answer got lost
    /// is repeated on a new connection.
    private static let script = """
        import json, socket, sys, time
        end = time.monotonic() + float(sys.argv[1])
        times, answered, stream = [], 0, None
        while time.monotonic() < end:
            call = {"method": "io.retryd.Submit", "parameters": {
                "operation": {"queue": "load", "key": "k%d" % answered},
                "failure": {"http": {"status": 503}}}}
            begin = time.monotonic()
            while True:
                try:
                    if stream is None:
                        stream = socket.socket(socket.AF_UNIX)
                        stream.connect("/run/retryd/io.retryd")
                    stream.sendall(json.dumps(call).encode() + bytes(1))
                    answer = b""
                    while not answer.endswith(bytes(1)):
                        part = stream.recv(65536)
                        if not part: raise ConnectionError
                        answer += part
                    break
                except OSError:
                    if stream: stream.close()
                    stream = None
                    time.sleep(0.01)
            answer = json.loads(answer[:-1])
            assert "error" not in answer, answer
            times.append(time.monotonic() - begin)
            answered += 1
        times.sort()
        print(answered, 1000 * times[len(times) * 99 // 100])
        """

    /// Runs it to its end, and something else beside it.
    static func run(
        in box: Box, seconds: Double, beside line: String = "true"
    ) throws -> Load {
        try box.write("/run/load.py", script)
        let shown = try box.succeed(
            "python3 /run/load.py \(seconds) & load=$!; { \(line); } >/dev/null; wait $load")
        let words = try #require(shown.lines.last?.split(separator: " "))
        return Load(
            answered: try #require(Int(words[0])), p99Ms: try #require(Double(words[1])))
    }
}
