package dev.sallyport.core.tls;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import java.util.List;

/** The ALPN protocols offered by both sides. */
final class Alpn {

    /** The versions of TLS that are offered, newest first. */
    static final List<String> TLS_VERSIONS = List.of("TLSv1.3", "TLSv1.2");

    private Alpn() {}

    /** Without a common protocol the connection continues without ALPN. */
    static ApplicationProtocolConfig config(List<String> protocols) {
        return protocols.isEmpty()
                ? ApplicationProtocolConfig.DISABLED
                : new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        protocols);
    }
}
