package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.spi.SecretValue;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What the log says of delivered values that are too short to be searched for. */
@Timeout(120)
class ShortSecretTest {

    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @TempDir
    Path folder;

    @BeforeEach
    void listens() {
        log.start();
        root.addAppender(log);
    }

    @AfterEach
    void listensNoMore() {
        root.detachAppender(log);
    }

    @Test
    void eachValueIsNamedOnceHoweverOftenItsPolicyChanges() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder)
                .catalog(Tenants.catalog())
                .sections("transforms: []\n")
                .start()) {
            PipelineUpdate.Builder first = PipelineUpdate.builder().secret("job", "1", SecretValue.of("1234567"));
            Tenants.applyAll(
                    proxy,
                    first.upsert(
                            Tenants.user("job").pipeline(pipeline("a.example")).build()));
            for (String host : List.of("b.example", "c.example")) {
                Tenants.applyAll(
                        proxy,
                        PipelineUpdate.builder()
                                .upsert(Tenants.user("job")
                                        .pipeline(pipeline(host))
                                        .build()));
            }
            assertThat(warnings()).hasSize(1);

            Tenants.applyAll(proxy, PipelineUpdate.builder().secret("job", "2", SecretValue.of("7654321")));
            Tenants.applyAll(
                    proxy,
                    PipelineUpdate.builder()
                            .upsert(Tenants.user("job")
                                    .pipeline(pipeline("d.example"))
                                    .build()));
            assertThat(warnings()).hasSize(2);
        }
    }

    private List<String> warnings() {
        return List.copyOf(log.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains("fewer than 8 bytes"))
                .toList();
    }

    /** Its entry has another rule each time, so that it is made anew. */
    private static PipelineSpec pipeline(String host) {
        return PipelineSpec.of("""
                transforms:
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: control_plane, ref: job}
                          replace: {proxy_value: %s}
                          rules: [{host: %s}]
                """.formatted(Tenants.PLACEHOLDER, host));
    }
}
