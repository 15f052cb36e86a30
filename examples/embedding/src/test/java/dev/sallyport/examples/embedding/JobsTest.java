package dev.sallyport.examples.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.WorkloadSpec;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.StubResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application that gives each of its jobs an identity and a policy of its own. */
class JobsTest {

    /** The example: what an application adds to run its jobs behind the proxy. */
    record Jobs(EgressProxy proxy) {

        /** Lets a job out to these hosts alone, until it ends; returns what it has to know. */
        Credentials begin(String job, Set<String> hosts) {
            String password = UUID.randomUUID().toString();
            InlineTransform policy = request -> hosts.contains(
                            request.destination().host())
                    ? Decision.respond(StubResponse.json("{\"served\": \"" + job + "\"}")) // a real one: proceed()
                    : Decision.reject(403, "not_yours", "The job " + job + " may not go there.");
            WorkloadSpec workload = WorkloadSpec.builder(job)
                    .user(job, SecretValue.of(password))
                    .pipeline(PipelineSpec.of("transforms: []").with("jobs", policy))
                    .build();
            apply(PipelineUpdate.builder().upsert(workload).build());
            return new Credentials(job, password);
        }

        void end(String job) {
            apply(PipelineUpdate.builder().remove(job).build());
        }

        private void apply(PipelineUpdate update) {
            proxy.pipelines().apply(update).toCompletableFuture().join();
        }
    }

    /** Goes into {@code HTTPS_PROXY} of the job: {@code http://user:password@host:port}. */
    record Credentials(String user, String password) {}

    @Test
    void eachJobHasAnIdentityAndAPolicyOfItsOwn(@TempDir Path folder) throws Exception {
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Example CA", Duration.ofDays(1)).write(cert, key);
        String yaml = """
                dns: {enabled: false}
                proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: "127.0.0.1:0"}
                tls: {ca_cert: "%s", ca_key: "%s"}
                metrics: {listen: disabled}
                """.formatted(cert, key);
        InlineTransform nobody =
                request -> request.connection().principal().workload().isEmpty()
                        ? Decision.reject(403, "no_job", "Only jobs are served.")
                        : Decision.proceed();
        try (EgressProxy proxy = EgressProxy.builder()
                .configText("example.yaml", yaml)
                .transform("nobody", nobody)
                .build()) {
            proxy.start();
            Jobs jobs = new Jobs(proxy);

            Credentials build = jobs.begin("build-17", Set.of("repo.test"));
            Credentials crawl = jobs.begin("crawl-4", Set.of("news.test"));

            assertThat(get(proxy, build, "repo.test")).contains("200").contains("build-17");
            assertThat(get(proxy, crawl, "repo.test")).contains("403").contains("not_yours");
            assertThat(get(proxy, crawl, "news.test")).contains("200").contains("crawl-4");

            jobs.end("crawl-4");
            assertThat(get(proxy, crawl, "news.test")).contains("407");
        }
    }

    private static String get(EgressProxy proxy, Credentials job, String host) throws IOException {
        InetSocketAddress address = proxy.tunnelAddress();
        String pair = job.user() + ":" + job.password();
        String basic = Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            String request = "GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\nProxy-Authorization: Basic "
                    + basic + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
