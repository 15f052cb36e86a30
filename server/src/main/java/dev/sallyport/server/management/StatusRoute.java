package dev.sallyport.server.management;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.CertificateStatus;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.LastReload;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.SourceStatus;
import dev.sallyport.server.Home;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code GET /v1/status}. */
final class StatusRoute implements Route {

    private final EgressProxy proxy;
    private final Supplier<Map<String, InetSocketAddress>> others;

    /** @param others the listeners of the server beside the proxy, by name */
    StatusRoute(EgressProxy proxy, Supplier<Map<String, InetSocketAddress>> others) {
        this.proxy = proxy;
        this.others = others;
    }

    @Override
    public String method() {
        return "GET";
    }

    @Override
    public String path() {
        return "/v1/status";
    }

    @Override
    public ApiResponse answer(ApiRequest request) {
        long uptime = ManagementFactory.getRuntimeMXBean().getUptime();
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        status.put("version", Home.version())
                .put("generation", proxy.generation())
                .put("uptime_seconds", TimeUnit.MILLISECONDS.toSeconds(uptime))
                .put("ready", proxy.ready());
        status.set("listeners", listeners());
        status.set("sources", sources());
        status.set("certificates", certificates());
        LastReload last = proxy.lastReload();
        if (last == null) {
            status.putNull("last_reload");
        } else {
            status.set("last_reload", reload(last));
        }
        ArrayNode warnings = status.putArray("warnings");
        proxy.warnings().forEach(warnings::add);
        ArrayNode workloads = status.putArray("workloads");
        proxy.workloads().forEach(workloads::add);
        return ApiResponse.json(200, status);
    }

    private ArrayNode listeners() {
        ArrayNode listeners = JsonNodeFactory.instance.arrayNode();
        listener(listeners, "http_listen", proxy.httpAddress());
        listener(listeners, "https_listen", proxy.httpsAddress());
        listener(listeners, "tunnel_listen", proxy.tunnelAddress());
        listener(listeners, "dns.listen", proxy.dnsAddress());
        others.get().forEach((name, address) -> listener(listeners, name, address));
        return listeners;
    }

    private static void listener(ArrayNode listeners, String name, @Nullable InetSocketAddress address) {
        if (address != null) {
            String host = address.getAddress().getHostAddress();
            String shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
            listeners.addObject().put("name", name).put("address", shown + ":" + address.getPort());
        }
    }

    private ArrayNode sources() {
        ArrayNode sources = JsonNodeFactory.instance.arrayNode();
        for (SourceStatus source : proxy.sources()) {
            ObjectNode shown = sources.addObject()
                    .put("type", source.type())
                    .put("name", source.name())
                    .put("pointer", source.pointer())
                    .put("status", source.freshness().name().toLowerCase(Locale.ROOT));
            if (source.lastRead() == null) {
                shown.putNull("last_read");
            } else {
                shown.put("last_read", source.lastRead().toString());
            }
        }
        return sources;
    }

    private ArrayNode certificates() {
        ArrayNode certificates = JsonNodeFactory.instance.arrayNode();
        for (CertificateStatus certificate : proxy.certificates()) {
            certificates
                    .addObject()
                    .put("name", certificate.name())
                    .put("not_after", certificate.notAfter().toString());
        }
        return certificates;
    }

    private static ObjectNode reload(LastReload last) {
        ObjectNode shown =
                JsonNodeFactory.instance.objectNode().put("at", last.at().toString());
        if (last.result() instanceof ReloadResult.Refused refused) {
            shown.put("status", "invalid").set("problems", ReloadRoute.problems(refused.problems()));
        } else if (last.result() instanceof ReloadResult.Reloaded reloaded) {
            shown.put("status", "ok");
            ReloadRoute.details(shown, reloaded);
        }
        return shown;
    }
}
