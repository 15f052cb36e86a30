package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Destination;
import dev.sallyport.transform.v1.TransformContext;
import dev.sallyport.transform.v1.TunnelInfo;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Describes the client and the destination in the terms of the API. */
final class ClientDescription {

    private ClientDescription() {}

    static TransformContext context(Connection connection) {
        TransformContext.Builder context = TransformContext.newBuilder();
        String sni = connection.sni();
        if (sni != null) {
            context.setSni(sni);
        }
        String tunnel = connection.tunnelTarget();
        if (tunnel != null) {
            context.setTunnel(TunnelInfo.newBuilder().setTarget(tunnel));
        }
        return context.build();
    }

    /** The client's address with its port; IPv6 in brackets. */
    static String address(Connection connection) {
        InetSocketAddress peer = connection.peer();
        InetAddress address = peer.getAddress();
        String text = address == null ? peer.getHostString() : address.getHostAddress();
        return (text.indexOf(':') >= 0 ? "[" + text + "]" : text) + ":" + peer.getPort();
    }

    /** The host with its port, unless it is the scheme's default port. */
    static String host(Destination destination) {
        String authority = destination.authority();
        return destination.port() == (destination.secure() ? 443 : 80)
                ? authority.substring(0, authority.lastIndexOf(':'))
                : authority;
    }
}
