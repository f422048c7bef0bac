import RetryModel

/// A date of the Gregorian calendar in UTC.
struct CivilDate {
    var year: Int64
    var month: Int64
    var day: Int64
    var hour: Int64 = 0
    var minute: Int64 = 0
    var second: Int64 = 0
    var microsecond: Int64 = 0
    /// Minutes the clock shown is ahead of UTC.
    var offsetMinutes: Int64 = 0

    /// Nil where there is no such date. A leap second is the second after it.
    var wallTime: WallTime? {
        guard (1...9_999).contains(year), (1...12).contains(month) else { return nil }
        guard day >= 1, day <= Self.days(in: month, of: year) else { return nil }
        guard (0...23).contains(hour), (0...59).contains(minute) else { return nil }
        guard (0...60).contains(second), abs(offsetMinutes) < 24 * 60 else { return nil }
        let minutes = (Self.daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute
        let seconds = (minutes - offsetMinutes) * 60 + second
        return WallTime(usec: seconds * 1_000_000 + microsecond)
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case _: 31
        }
    }

    /// Days from 1970-01-01, counted in eras of 400 years that begin on the 1st of March, so that
    /// the leap day is the last of a year.
    private static func daysSinceEpoch(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = marchYear / 400
        let yearOfEra = marchYear - era * 400
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
