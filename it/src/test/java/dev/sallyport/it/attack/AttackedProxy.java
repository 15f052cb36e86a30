package dev.sallyport.it.attack;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.testsupport.TestCertificates;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A proxy in a process of its own, with a heap of its own. Says the ports of its listeners and, for each empty line that it is
 * told, which records it has written so far; ends with its standard input.
 */
final class AttackedProxy {

    private AttackedProxy() {}

    public static void main(String[] arguments) throws Exception {
        TestCertificates certificates = new TestCertificates(Path.of(arguments[0]));
        Records records = new Records();
        EgressProxy proxy = EgressProxy.builder()
                .configText("attacked.yaml", """
                        dns:
                          listen: 127.0.0.1:0
                          proxy_ip: 127.0.0.1
                        metrics:
                          listen: disabled
                        proxy:
                          http_listen: 127.0.0.1:0
                          https_listen: 127.0.0.1:0
                          tunnel_listen: 127.0.0.1:0
                          upstream_deny_cidrs: []
                          limits: %s
                        tls:
                          ca_cert: %s
                          ca_key: %s
                        """.formatted(limits(), certificates.caCert, certificates.caKey))
                .catalog(PluginCatalog.of(List.of(), List.of()))
                .environment(Map.of())
                .loops(2)
                .auditSink(AuditSinks.none())
                .auditListener((record, line) -> records.written(line))
                .transform(
                        "gate",
                        Capabilities.builder()
                                .reads(Part.values())
                                .writes(Part.values())
                                .effects(Effect.ANSWERS_LOCALLY, Effect.INJECTS_CREDENTIAL)
                                .build(),
                        new Gate())
                .build();
        proxy.start();
        System.out.println("ports " + proxy.httpAddress().getPort() + " "
                + proxy.httpsAddress().getPort() + " " + proxy.tunnelAddress().getPort() + " "
                + proxy.dnsAddress().getPort());
        while (System.in.read() >= 0) {
            System.out.println("records " + records);
        }
        proxy.close();
    }

    private static String limits() {
        String buffered = System.getProperty("attacked.buffered", "");
        return buffered.isEmpty() ? "{}" : "{buffered_bytes: " + buffered + "}";
    }

    /** Lets nothing pass but a few hosts, by whose name a request says what is to be done with it. */
    private static final class Gate implements InlineTransform {

        private static final String VALUE = "v".repeat(16 * 1024);

        @Override
        public Decision decide(RequestContext request) {
            return switch (request.destination().host()) {
                case "grow-body.localhost" ->
                    Decision.proceed(Edits.builder().rewriteBody(new Grow()).build());
                case "read-body.localhost" ->
                    Decision.read(Buffered.whole(), RequestStep.inline(read -> Decision.proceed()));
                case "grow-head.localhost" -> grown();
                case "open.localhost", "127.0.0.1" -> Decision.proceed();
                default -> Decision.reject(403, "denied", "not on the list");
            };
        }

        private static Decision grown() {
            Edits.Builder edits = Edits.builder();
            for (int i = 0; i < 1000; i++) {
                edits.addHeader("X-Grown", VALUE);
            }
            return Decision.proceed(edits.build());
        }
    }

    /** Writes 64 KiB for each byte. */
    private static final class Grow implements BodyRewriter {

        private static final byte[] MUCH = "v".repeat(64 * 1024).getBytes(StandardCharsets.US_ASCII);

        @Override
        public void write(ByteBuffer in, Sink out) {
            for (int i = in.remaining(); i > 0; i--) {
                out.write(ByteBuffer.wrap(MUCH));
            }
        }

        @Override
        public void end(Sink out) {}
    }

    /** How many records there were of each kind. */
    private static final class Records {

        private static final ObjectMapper JSON = new ObjectMapper();

        private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();

        void written(ByteBuffer line) {
            try {
                JsonNode record =
                        JSON.readTree(StandardCharsets.UTF_8.decode(line).toString());
                String error = record.findPath("error").asText();
                String why = error.isEmpty() ? record.findPath("rejected_by").asText() : error.split(":", 2)[0];
                String kind = record.findPath("action").asText() + "/"
                        + record.findPath("status_code").asText() + "/" + why;
                counts.computeIfAbsent(kind, any -> new AtomicLong()).incrementAndGet();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder();
            counts.forEach(
                    (kind, count) -> text.append(kind).append('=').append(count).append(' '));
            return text.toString();
        }
    }
}
