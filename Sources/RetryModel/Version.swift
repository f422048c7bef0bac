/// What daemon and programs call themselves.
public enum Version {
    public static let current = "1.0"
}
