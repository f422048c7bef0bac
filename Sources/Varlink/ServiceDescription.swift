package import JSON

/// What a service tells about itself through the interface `org.varlink.service`.
package struct ServiceDescription: Sendable {
    /// An interface the service implements.
    package struct Interface: Sendable {
        package var name: String
        /// Its text in the interface definition language, comments included.
        package var description: String

        package init(name: String, description: String) {
            self.name = name
            self.description = description
        }
    }

    package var vendor: String
    package var product: String
    package var version: String
    package var url: String
    /// `org.varlink.service` first, then the service's own.
    package let interfaces: [Interface]

    /// - Parameter interfaces: The service's own; `org.varlink.service` is added.
    package init(
        vendor: String, product: String, version: String, url: String, interfaces: [Interface]
    ) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
        self.interfaces =
            [Interface(name: serviceInterfaceName, description: serviceInterfaceText)] + interfaces
    }

    /// Answers every call that no method of the service's own took: the methods of
    /// `org.varlink.service`, and the fitting error for all others.
    ///
    /// Writes nothing for a `oneway` call.
    package func answer(_ call: Call, into writer: inout JSONWriter) {
        if call.oneway { return }
        do throws(ServiceError) {
            switch call.method {
            case "org.varlink.service.GetInfo":
                try refuseParameters(of: call, except: nil)
                writeInfo(into: &writer)
            case "org.varlink.service.GetInterfaceDescription":
                try writeInterface(for: call, into: &writer)
            default:
                throw unknownMethod(call)
            }
        } catch {
            writer.error(error)
        }
    }

    private func writeInfo(into writer: inout JSONWriter) {
        writer.beginReply()
        writer.name("vendor")
        writer.string(vendor)
        writer.name("product")
        writer.string(product)
        writer.name("version")
        writer.string(version)
        writer.name("url")
        writer.string(url)
        writer.name("interfaces")
        writer.beginArray()
        for interface in interfaces { writer.string(interface.name) }
        writer.endArray()
        writer.endReply()
    }

    private func writeInterface(
        for call: Call, into writer: inout JSONWriter
    ) throws(ServiceError) {
        try refuseParameters(of: call, except: "interface")
        guard let name = call.parameters?["interface"]?.string else {
            throw .invalidParameter("interface", reason: "the name of an interface is needed")
        }
        guard let interface = interfaces.first(where: { $0.name == name }) else {
            throw .interfaceNotFound(name)
        }
        writer.beginReply()
        writer.name("description")
        writer.string(interface.description)
        writer.endReply()
    }

    private func refuseParameters(
        of call: Call, except known: StaticString?
    ) throws(ServiceError) {
        guard let members = call.parameters?.members else { return }
        for member in members {
            if let known, member.name == known { continue }
            throw .invalidParameter(member.name.string, reason: "no such parameter")
        }
    }

    private func unknownMethod(_ call: Call) -> ServiceError {
        guard let interface = call.interface, interfaces.contains(where: { $0.name == interface })
        else { return .interfaceNotFound(call.interface ?? call.method.string) }
        return .methodNotFound(call.method.string)
    }
}

package let serviceInterfaceName = "org.varlink.service"

/// The interface of UAPI.20 in our words.
private let serviceInterfaceText = """
    # What every Varlink service tells about itself.
    interface org.varlink.service

    # Who made the service, what it is, and the interfaces it implements.
    method GetInfo() -> (
      vendor: string,
      product: string,
      version: string,
      url: string,
      interfaces: []string
    )

    # The definition of one interface, with its comments.
    method GetInterfaceDescription(interface: string) -> (description: string)

    # The service does not implement that interface.
    error InterfaceNotFound (interface: string)

    # The interface has no such method.
    error MethodNotFound (method: string)

    # The interface has the method, the service does not.
    error MethodNotImplemented (method: string)

    # A parameter is missing, unknown, of the wrong type or out of range.
    error InvalidParameter (parameter: string)

    # The caller may not do that.
    error PermissionDenied ()

    # The method must be called with `more`.
    error ExpectedMore ()

    # The method must be called with `upgrade`.
    error ExpectedUpgrade ()

    """
