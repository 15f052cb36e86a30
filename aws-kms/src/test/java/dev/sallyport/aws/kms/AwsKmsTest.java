package dev.sallyport.aws.kms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.KeyService;
import dev.sallyport.testsupport.FakeKms;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** With the SDK's client, against the protocol of AWS KMS. */
class AwsKmsTest {

    private static final byte[] PLAIN = "a key of somebody".getBytes(StandardCharsets.UTF_8);
    private static final Map<String, String> HERE = Map.of("application", "here");

    private final KeyService service =
            ServiceLoader.load(KeyService.class).findFirst().orElseThrow();
    private FakeKms kms;

    @BeforeEach
    void open() throws Exception {
        kms = new FakeKms();
    }

    @AfterEach
    void close() {
        kms.close();
    }

    @Test
    void whatItEncryptsItDecrypts() throws Exception {
        byte[] sealed = service.encrypt(FakeKms.KEY, HERE, PLAIN);

        assertThat(service.name()).isEqualTo("aws_kms");
        assertThat(new String(sealed, StandardCharsets.ISO_8859_1)).doesNotContain("somebody");
        assertThat(service.decrypt(FakeKms.KEY, HERE, sealed)).isEqualTo(PLAIN);
        assertThat(kms.calls()).containsExactly("Encrypt", "Decrypt");
    }

    @Test
    void anotherContextOpensNothing() throws Exception {
        byte[] sealed = service.encrypt(FakeKms.KEY, HERE, PLAIN);

        assertThatThrownBy(() -> service.decrypt(FakeKms.KEY, Map.of("application", "elsewhere"), sealed))
                .isInstanceOf(ConfigException.class)
                .hasMessage("AWS KMS refuses with 400 InvalidCiphertextException");
    }

    @Test
    void aRefusalNamesThePermission() {
        kms.refuse("AccessDeniedException");

        assertThatThrownBy(() -> service.encrypt(FakeKms.KEY, HERE, PLAIN))
                .isInstanceOfSatisfying(ConfigException.class, refused -> {
                    assertThat(refused).hasMessage("AWS KMS refuses with 400 AccessDeniedException");
                    assertThat(refused.expected()).contains("kms:Encrypt");
                    assertThat(refused.pointer()).isEmpty();
                });
    }

    @Test
    void oneThatIsAwaySaysWhatItNeeds() {
        kms.close();

        assertThatThrownBy(() -> service.decrypt(FakeKms.KEY, HERE, PLAIN))
                .isInstanceOfSatisfying(ConfigException.class, away -> {
                    assertThat(away.getMessage()).startsWith("AWS KMS cannot be asked: ");
                    assertThat(away.expected()).isEqualTo("credentials, a region and a way to AWS KMS");
                });
    }
}
