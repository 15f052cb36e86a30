package dev.sallyport.control.api;

import dev.sallyport.toolkit.match.IpRange;
import java.util.List;

/**
 * How clients reach the control plane, and what stands beside it.
 *
 * @param secure whether over TLS
 * @param version of this program
 * @param trustedProxies the proxies that tell the addresses of clients
 * @param tags those that the proxy of the same process carries
 */
public record Deployment(boolean secure, String version, List<IpRange> trustedProxies, List<String> tags) {

    public Deployment {
        trustedProxies = List.copyOf(trustedProxies);
        tags = List.copyOf(tags);
    }
}
