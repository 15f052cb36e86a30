package dev.sallyport.server.run;

import dev.sallyport.core.tls.TrustStores;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The environment of the program: that of this process, without secrets, with trust in the proxy. */
final class ChildEnvironment {

    /** For tools that take a file with all roots; {@code docs/trust.md} says which. */
    private static final List<String> BUNDLE = List.of(
            "SSL_CERT_FILE",
            "CURL_CA_BUNDLE",
            "REQUESTS_CA_BUNDLE",
            "PIP_CERT",
            "npm_config_cafile",
            "GIT_SSL_CAINFO",
            "CARGO_HTTP_CAINFO",
            "AWS_CA_BUNDLE",
            "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH");

    /** For tools that take the proxy's certificate beside their own roots. */
    private static final List<String> AUTHORITY = List.of("NODE_EXTRA_CA_CERTS", "DENO_CERT");

    /** What would name other roots, where it is set. */
    private static final List<String> OTHERS = List.of(
            "NIX_SSL_CERT_FILE", "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", "HTTPLIB2_CA_CERTS", "NPM_CONFIG_CAFILE");

    private static final List<String> PROXIES = List.of("http_proxy", "https_proxy", "all_proxy");
    private static final String NO_PROXY = "localhost,127.0.0.1,::1";
    private static final String JAVA = "JAVA_TOOL_OPTIONS";

    private final Map<String, String> variables;

    /** @param base variables of this process */
    ChildEnvironment(Map<String, String> base) {
        variables = new HashMap<>(base);
        variables.keySet().removeIf(name -> name.startsWith("SALLYPORT_"));
    }

    /** What tools may know that are asked before the program runs: nothing secret. */
    static Map<String, String> ofTools(Map<String, String> base, Set<String> hidden) {
        return new ChildEnvironment(base).secrets(hidden, Map.of()).variables();
    }

    /**
     * Takes out real values and puts placeholders in their place.
     *
     * @param hidden variables that hold real values
     * @param placeholders by variable
     */
    ChildEnvironment secrets(Set<String> hidden, Map<String, String> placeholders) {
        variables.keySet().removeAll(hidden);
        variables.putAll(placeholders);
        return this;
    }

    /** Lets tools trust the proxy. */
    ChildEnvironment trusting(TrustFiles files) {
        String bundle = files.bundle().toString();
        BUNDLE.forEach(name -> variables.put(name, bundle));
        OTHERS.forEach(name -> variables.computeIfPresent(name, (key, value) -> bundle));
        AUTHORITY.forEach(name -> variables.put(name, files.authority().toString()));
        java("'-Djavax.net.ssl.trustStore=" + files.java() + "' -Djavax.net.ssl.trustStorePassword="
                + TrustStores.PASSWORD);
        return this;
    }

    /**
     * Leads tools to the proxy.
     *
     * @param proxy where it listens; null when there is no way past it anyway
     * @param files of the run
     */
    ChildEnvironment through(@Nullable InetSocketAddress proxy, TrustFiles files) {
        if (proxy == null) {
            // What an outer proxy left there would lead nowhere.
            for (String name : PROXIES) {
                variables.remove(name);
                variables.remove(name.toUpperCase(Locale.ROOT));
            }
            return this;
        }
        String host = proxy.getAddress().getHostAddress();
        String url = "http://" + host + ":" + proxy.getPort();
        for (String name : PROXIES) {
            variables.put(name, url);
            variables.put(name.toUpperCase(Locale.ROOT), url);
        }
        variables.put("no_proxy", NO_PROXY);
        variables.put("NO_PROXY", NO_PROXY);
        variables.put("NODE_USE_ENV_PROXY", "1");
        variables.putIfAbsent("APT_CONFIG", files.apt().toString());
        String port = Integer.toString(proxy.getPort());
        java("-Dhttp.proxyHost=" + host + " -Dhttp.proxyPort=" + port + " -Dhttps.proxyHost=" + host
                + " -Dhttps.proxyPort=" + port + " -Daether.connector.http.useSystemProperties=true");
        return this;
    }

    private void java(String options) {
        variables.merge(JAVA, options, (before, added) -> before + " " + added);
    }

    Map<String, String> variables() {
        return Map.copyOf(variables);
    }
}
