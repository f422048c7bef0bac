// swift-tools-version: 6.2

import PackageDescription

// The targets and who may import whom are drawn in docs/ARCHITECTURE.md; TidyTests holds the
// sources to it. Arrows point down only: nothing in a lower group imports an upper one.

let package = Package(
    name: "retryd",
    products: [
        .executable(name: "retryd", targets: ["retryd"]),
        .executable(name: "retryctl", targets: ["retryctl"]),
        .executable(name: "retryd-exec", targets: ["retryd-exec"]),
        .executable(name: "RetryBench", targets: ["RetryBench"]),
        .library(name: "RetryClient", targets: ["RetryClient"]),
    ],
    targets: [
        // C libraries, one narrow door each.
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CLinux"),
        .target(name: "CSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "CTOML", linkerSettings: [.linkedLibrary("tomlplusplus")]),

        // Values and formats: no file descriptor, no clock.
        .target(name: "RetryModel"),
        // Without Glibc in the graph, rounding a Double still needs libm.
        .target(
            name: "JSON", dependencies: ["CSimdJSON"], linkerSettings: [.linkedLibrary("m")]),
        .target(name: "TOML", dependencies: ["CTOML"]),
        .target(name: "Varlink", dependencies: ["JSON"]),

        // Decisions: pure.
        .target(name: "RetryRules", dependencies: ["RetryModel", "JSON", "TOML"]),
        .target(name: "RetryCore", dependencies: ["RetryModel"]),
        .target(
            name: "RetryExplain", dependencies: ["RetryModel", "JSON", "RetryRules", "RetryCore"]),

        // The machine: kernel, systemd, disk.
        .target(name: "SystemKit", dependencies: ["CSystemd", "CLinux"]),
        .target(name: "RetryStore", dependencies: ["RetryModel", "SystemKit", "CSQLite"]),
        .target(
            name: "RetryConfig",
            dependencies: ["RetryModel", "RetryRules", "RetryCore", "TOML", "SystemKit"]),

        // Programs.
        .target(
            name: "RetryDaemon",
            dependencies: [
                "RetryModel", "JSON", "Varlink", "RetryRules", "RetryCore", "RetryExplain",
                "SystemKit", "RetryStore", "RetryConfig",
            ],
            resources: [
                .embedInCode("io.retryd.varlink"), .embedInCode("io.systemd.service.varlink"),
            ]),
        .target(
            name: "RetryClient", dependencies: ["RetryModel", "JSON", "Varlink", "SystemKit"]),
        .target(
            name: "RetryExec", dependencies: ["RetryModel", "JSON", "RetryClient", "SystemKit"]),
        .target(
            name: "RetryCLI",
            dependencies: [
                "RetryModel", "JSON", "TOML", "Varlink", "RetryRules", "RetryExplain",
                "RetryConfig", "RetryClient", "SystemKit",
            ]),
        .executableTarget(name: "retryd", dependencies: ["RetryDaemon"]),
        .executableTarget(name: "retryctl", dependencies: ["RetryCLI", "SystemKit"]),
        .executableTarget(name: "retryd-exec", dependencies: ["RetryExec"]),
        .executableTarget(
            name: "RetryBench",
            dependencies: [
                "RetryModel", "JSON", "RetryRules", "RetryCore", "RetryConfig", "SystemKit",
            ]),

        // Tests, one target per target.
        .target(
            name: "Support",
            dependencies: ["JSON", "Varlink", "RetryModel", "RetryCore", "SystemKit"],
            path: "Tests/Support"),
        .testTarget(
            name: "RetryDaemonTests",
            dependencies: [
                "RetryDaemon", "RetryModel", "RetryCore", "RetryConfig", "RetryStore", "JSON",
                "Varlink", "SystemKit",
            ]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: ["Support", "RetryModel", "JSON", "Varlink", "SystemKit"],
            exclude: ["Preload"]),
        .testTarget(name: "TOMLTests", dependencies: ["TOML"]),
        .testTarget(name: "JSONTests", dependencies: ["JSON"]),
        .testTarget(name: "VarlinkTests", dependencies: ["Varlink", "JSON", "SystemKit"]),
        .testTarget(
            name: "RetryCLITests",
            dependencies: ["RetryCLI", "RetryClient", "Support", "JSON", "SystemKit"]),
        .testTarget(
            name: "RetryClientTests",
            dependencies: ["RetryClient", "Support", "JSON", "Varlink", "SystemKit"]),
        .testTarget(
            name: "RetryExecTests",
            dependencies: ["RetryExec", "RetryClient", "Support", "JSON", "SystemKit"]),
        .testTarget(name: "SystemKitTests", dependencies: ["SystemKit"]),
        .testTarget(
            name: "RetryStoreTests",
            dependencies: ["RetryStore", "RetryModel", "SystemKit", "Support", "CSQLite"]),
        .testTarget(
            name: "RetryConfigTests",
            dependencies: [
                "RetryConfig", "RetryModel", "RetryCore", "RetryRules", "Support", "SystemKit",
            ]),
        .testTarget(
            name: "RetryCoreTests",
            dependencies: ["RetryCore", "RetryModel", "SystemKit", "Support"]),
        .testTarget(
            name: "RetrySimulationTests",
            dependencies: ["RetryCore", "RetryModel", "Support"]),
        .testTarget(name: "TidyTests", dependencies: ["SystemKit"]),
        .testTarget(name: "SystemTests", dependencies: ["JSON", "Support", "SystemKit"]),
        .testTarget(
            name: "RetryExplainTests",
            dependencies: [
                "RetryExplain", "RetryCore", "RetryModel", "RetryRules", "JSON", "Support",
            ]),
        .testTarget(
            name: "RetryRulesTests", dependencies: ["RetryModel", "JSON", "TOML", "RetryRules"],
            exclude: ["Cases"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

for target in package.targets where target.type != .system {
    if target.name.first == "C", target.name.dropFirst().first?.isUppercase == true { continue }
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
    ]
}
