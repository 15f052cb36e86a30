package dev.sallyport.core.tls;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import java.util.List;

/** The ALPN protocols offered by both sides. */
final class Alpn {

    /** Newest first. */
    static final List<String> TLS_VERSIONS = List.of("TLSv1.3", "TLSv1.2");

    private Alpn() {}

    /** No common protocol is no error: the connection then has none, as if ALPN had not been there. */
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
