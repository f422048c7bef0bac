/// How much is asked at the same time.
struct Shape: Hashable {
    var connections: Int
    /// Requests on each that wait for their answer.
    var inFlight: Int

    /// Connections × in flight, as `--only` takes it.
    var name: String { "\(connections)x\(inFlight)" }

    static let one = Shape(connections: 1, inFlight: 1)
    static let pipelined = Shape(connections: 1, inFlight: 64)
    static let all = [
        one, Shape(connections: 16, inFlight: 1), pipelined,
        Shape(connections: 16, inFlight: 16),
    ]
}
