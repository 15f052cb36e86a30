package dev.sallyport.server.management;

import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.server.Failure;
import dev.sallyport.server.http.HttpListener;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http.HttpRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A page on loopback that shows records as they are written, to whoever knows its address: {@code
 * http://127.0.0.1:PORT/TOKEN}. It reads what the management API serves as {@code audit/recent}, and changes nothing.
 */
public final class RecordsPage implements AutoCloseable {

    private static final String LOOPBACK = "127.0.0.1";

    /** What records hold comes from programs that nobody trusts: nothing but the page's own files runs or is loaded. */
    private static final Map<String, String> PROTECTION = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
                    + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
            "Referrer-Policy",
            "no-referrer",
            "X-Frame-Options",
            "DENY",
            "Cross-Origin-Resource-Policy",
            "same-origin",
            "Cross-Origin-Opener-Policy",
            "same-origin");

    private final RecentAudit recent;
    private final PathToken token = PathToken.random();
    private @Nullable HttpListener listener;

    /** @param recent told of every record; begins to keep them when this is started */
    public RecordsPage(RecentAudit recent) {
        this.recent = recent;
    }

    /** Binds a free port and returns the address of the page. Blocks. */
    public String start() throws Failure {
        recent.begin();
        Routes routes = new Routes(
                List.of(
                        file("/", "page.html", "text/html; charset=utf-8"),
                        file("/page.js", "page.js", "text/javascript; charset=utf-8"),
                        file("/page.css", "page.css", "text/css; charset=utf-8"),
                        new RecentAuditRoute(recent)),
                null);
        HttpListener opened = new HttpListener("--inspect", "sallyport-inspect", () -> new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new ApiHandler(head -> choose(routes, head), channel));
            }
        });
        listener = opened;
        opened.start(new ListenAddress(LOOPBACK, 0));
        return "http://" + authority() + token.path();
    }

    private Routes.Choice choose(Routes routes, HttpRequest head) {
        return token.strip(head, authority()) ? routes.choose(head) : new Routes.Choice(null, Routes.notFound());
    }

    private String authority() {
        InetSocketAddress address = Objects.requireNonNull(
                Objects.requireNonNull(listener, "not started").address(), "not bound");
        return LOOPBACK + ":" + address.getPort();
    }

    private Route file(String path, String name, String type) {
        byte[] content;
        try (InputStream in = RecordsPage.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing in this build");
            }
            content = in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
        String text = new String(content, StandardCharsets.UTF_8).replace("@TOKEN@", token.path());
        return new FileRoute(
                path, new ApiResponse.Content(200, type, text.getBytes(StandardCharsets.UTF_8), PROTECTION));
    }

    private record FileRoute(String path, ApiResponse.Content content) implements Route {

        @Override
        public String method() {
            return "GET";
        }

        @Override
        public ApiResponse answer(ApiRequest request) {
            return content;
        }
    }

    /** Idempotent; blocks. */
    @Override
    public void close() {
        HttpListener open = listener;
        if (open != null) {
            open.close();
        }
    }
}
