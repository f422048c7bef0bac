import Glibc
import SystemKit
import Testing

@Suite struct LocalTimeTests {
    @Test func agreesWithTheCalendarOfTheHost() {
        // 2023-11-14 22:13:20 UTC, and a day in winter and in summer.
        for seconds in [1_700_000_000, 1_705_000_000, 1_720_000_000] {
            var time = time_t(seconds)
            var fields = tm()
            localtime_r(&time, &fields)
            let local = LocalTime(usec: Int64(seconds) * 1_000_000 + 999_999)
            #expect(local.year == Int(fields.tm_year) + 1_900)
            #expect(local.hour == Int(fields.tm_hour))
            #expect(local.second == Int(fields.tm_sec))
            #expect(local.date.count == 10)
            #expect(local.time.count == 8)
            #expect(local.zone.isEmpty == false)
        }
    }

    @Test func knowsTheDayOfTheWeek() {
        // A Wednesday at noon everywhere but on the date line.
        let local = LocalTime(usec: 1_705_492_800_000_000)
        #expect(["Tue", "Wed", "Thu"].contains(local.weekday))
        #expect(local.month == 1)
    }
}
