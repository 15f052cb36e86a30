package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Destination;
import dev.sallyport.transform.v1.TransformContext;
import dev.sallyport.transform.v1.TunnelInfo;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Says who asks for what, in the terms of the API. */
final class Callers {

    private Callers() {}

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

    /** The host with its port, unless that is the scheme's own. */
    static String host(Destination destination) {
        String authority = destination.authority();
        return destination.port() == (destination.secure() ? 443 : 80)
                ? authority.substring(0, authority.lastIndexOf(':'))
                : authority;
    }
}
