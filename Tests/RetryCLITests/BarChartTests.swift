import RetryCLI
import Testing

@Suite struct BarChartTests {
    @Test(
        arguments: [
            (0, 8, ""), (1, 8, "▌"), (8, 8, "████"), (4, 8, "██"), (5, 8, "██▌"), (1, 1_000, "▏"),
            (9, 8, "████"), (-1, 8, ""), (1, 0, ""),
        ] as [(Int64, Int64, String)])
    func bars(number: Int64, largest: Int64, bar: String) {
        #expect(BarChart.bar(number, of: largest, width: 4) == bar)
    }
}
