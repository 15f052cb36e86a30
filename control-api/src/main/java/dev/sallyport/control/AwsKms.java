package dev.sallyport.control;

import dev.sallyport.spi.ConfigException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.kms.KmsClient;
import software.amazon.awssdk.services.kms.KmsClientBuilder;
import software.amazon.awssdk.services.kms.model.KmsException;

/**
 * A symmetric key of AWS KMS. What it encrypts is bound to this use. Credentials, region and endpoint are found as the SDK
 * does; the region in an ARN comes first. Each call has a client of its own, since there are few. Blocks.
 *
 * @param keyId identifier, ARN or alias
 */
record AwsKms(String keyId) {

    static final String POINTER = "/encryption/kms_key_id";

    private static final Map<String, String> CONTEXT = Map.of("application", "sallyport-control");
    private static final Pattern ARN = Pattern.compile("arn:[^:]+:kms:([^:]+):.*");
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration ATTEMPT = Duration.ofSeconds(5);

    byte[] encrypt(byte[] plain) throws ConfigException {
        return asked(
                "kms:Encrypt",
                client -> client.encrypt(request -> request.keyId(keyId)
                                .encryptionContext(CONTEXT)
                                .plaintext(SdkBytes.fromByteArray(plain)))
                        .ciphertextBlob());
    }

    byte[] decrypt(byte[] sealed) throws ConfigException {
        return asked(
                "kms:Decrypt",
                client -> client.decrypt(request -> request.keyId(keyId)
                                .encryptionContext(CONTEXT)
                                .ciphertextBlob(SdkBytes.fromByteArray(sealed)))
                        .plaintext());
    }

    /** Messages of the service may quote what was sent; its codes do not. */
    private byte[] asked(String permission, Function<KmsClient, SdkBytes> call) throws ConfigException {
        try (KmsClient client = client()) {
            return call.apply(client).asByteArray();
        } catch (KmsException e) {
            String code = e.awsErrorDetails() == null ? "" : e.awsErrorDetails().errorCode();
            throw new ConfigException(
                    POINTER,
                    "AWS KMS refuses with " + e.statusCode() + (code.isEmpty() ? "" : " " + code),
                    "a symmetric key that is enabled, and permission for " + permission);
        } catch (SdkClientException e) {
            throw new ConfigException(
                    POINTER,
                    "AWS KMS cannot be asked: "
                            + String.valueOf(e.getMessage()).lines().findFirst().orElse(""),
                    "credentials, a region and a way to AWS KMS");
        }
    }

    private KmsClient client() {
        KmsClientBuilder builder = KmsClient.builder()
                .httpClient(UrlConnectionHttpClient.create())
                .overrideConfiguration(
                        settings -> settings.apiCallTimeout(PATIENCE).apiCallAttemptTimeout(ATTEMPT));
        Matcher arn = ARN.matcher(keyId);
        return arn.matches() ? builder.region(Region.of(arn.group(1))).build() : builder.build();
    }
}
