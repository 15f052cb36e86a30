package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.SecretRef;
import org.jspecify.annotations.Nullable;

/**
 * {@code proxy.upstream_proxy}: the parent proxy through which connections go out (docs/spec/decisions.md, section 17).
 *
 * @param httpProxy null when what is not TLS goes out directly
 * @param httpsProxy null when TLS goes out directly
 * @param resolve null when the scheme of the parent says it
 * @param username null when there is none, or it is in the URL
 * @param password as the user name
 */
public record UpstreamProxy(
        @JsonPropertyDescription(
                "Parent proxy for connections without TLS: a URL with http, https, socks5 or socks5h, with user and password if need be. The variable HTTP_PROXY of the process overrides it.")
        @Nullable ProxyUrl httpProxy,

        @JsonPropertyDescription("The same for connections with TLS. Overridden by HTTPS_PROXY.") @Nullable ProxyUrl httpsProxy,

        @JsonPropertyDescription(
                "What is reached directly, separated by commas: example.com (and what is below it), .example.com, addresses, ranges, each with :port if need be, or *. Overridden by NO_PROXY.")
        String noProxy,

        @JsonPropertyDescription(
                "Who finds the addresses of names: this proxy, which judges them, before the parent is asked for one of them (local, the default, which socks5 means), or the parent (remote, which socks5h means): then only addresses that a workload names can be judged.")
        @Nullable Resolve resolve,

        @JsonPropertyDescription("Where the user name for parents without one in their URL is read: env or file.")
        @Nullable SecretRef username,

        @JsonPropertyDescription("Where the password that belongs to username is read: env or file.") @Nullable SecretRef password)
        implements SelfValidating {

    /** Who resolves names. */
    public enum Resolve {
        /** This proxy. */
        LOCAL,
        /** The parent. */
        REMOTE
    }

    /** Whether a parent resolves the names that it is asked for. */
    public boolean isRemote(ProxyUrl parent) {
        return switch (parent.scheme()) {
            case SOCKS5 -> false;
            case SOCKS5H -> true;
            case HTTP, HTTPS -> resolve == Resolve.REMOTE;
        };
    }

    @Override
    public void check(Problems problems) {
        check("/http_proxy", httpProxy, problems);
        check("/https_proxy", httpsProxy, problems);
        NoProxy.check(noProxy, "/no_proxy", problems);
        if (password != null && username == null) {
            problems.add("/password", "a password without a user", "username as well");
        }
    }

    private void check(String pointer, @Nullable ProxyUrl parent, Problems problems) {
        if (parent == null) {
            return;
        }
        boolean contradicts =
                resolve != null && parent.scheme().isSocks() && isRemote(parent) != (resolve == Resolve.REMOTE);
        if (contradicts) {
            problems.add(
                    pointer,
                    "the scheme contradicts resolve",
                    resolve == Resolve.REMOTE ? "socks5h, or resolve: local" : "socks5, or resolve: remote");
        }
    }

    @Override
    public void warn(Problems warnings) {
        warn("/http_proxy", httpProxy, warnings);
        if (httpsProxy != null && !httpsProxy.equals(httpProxy)) {
            warn("/https_proxy", httpsProxy, warnings);
        }
        if (httpProxy == null && httpsProxy != null) {
            warnings.add(
                    "/http_proxy",
                    "not set, so connections without TLS go out directly",
                    "a parent proxy for them, too");
        }
        if (httpsProxy == null && httpProxy != null) {
            warnings.add(
                    "/https_proxy", "not set, so connections with TLS go out directly", "a parent proxy for them, too");
        }
    }

    private void warn(String pointer, @Nullable ProxyUrl parent, Problems warnings) {
        if (parent != null && isRemote(parent)) {
            warnings.add(
                    pointer,
                    "the parent resolves names, so upstream_deny_cidrs holds only for addresses that workloads name",
                    "resolve: local, if this proxy can resolve names");
        }
    }
}
