package dev.sallyport.aws.kms;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.KeyService;
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
 * Symmetric keys of AWS KMS, by identifier, ARN or alias. Credentials, region and endpoint are found as the SDK does; the
 * region in an ARN comes first. Each call has a client of its own, since there are few, and ends within twenty seconds.
 */
public final class AwsKms implements KeyService {

    private static final Pattern ARN = Pattern.compile("arn:[^:]+:kms:([^:]+):.*");
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration ATTEMPT = Duration.ofSeconds(5);

    /** For the service loader. */
    public AwsKms() {}

    @Override
    public String name() {
        return "aws_kms";
    }

    @Override
    public byte[] encrypt(String keyId, Map<String, String> context, byte[] plain) throws ConfigException {
        return asked(
                keyId,
                "kms:Encrypt",
                client -> client.encrypt(request -> request.keyId(keyId)
                                .encryptionContext(context)
                                .plaintext(SdkBytes.fromByteArray(plain)))
                        .ciphertextBlob());
    }

    @Override
    public byte[] decrypt(String keyId, Map<String, String> context, byte[] sealed) throws ConfigException {
        return asked(
                keyId,
                "kms:Decrypt",
                client -> client.decrypt(request -> request.keyId(keyId)
                                .encryptionContext(context)
                                .ciphertextBlob(SdkBytes.fromByteArray(sealed)))
                        .plaintext());
    }

    /** Messages of the service may quote what was sent; its codes do not. */
    private static byte[] asked(String keyId, String permission, Function<KmsClient, SdkBytes> call)
            throws ConfigException {
        try (KmsClient client = client(keyId)) {
            return call.apply(client).asByteArray();
        } catch (KmsException e) {
            String code = e.awsErrorDetails() == null ? "" : e.awsErrorDetails().errorCode();
            throw new ConfigException(
                    "",
                    "AWS KMS refuses with " + e.statusCode() + (code.isEmpty() ? "" : " " + code),
                    "a symmetric key that is enabled, and permission for " + permission);
        } catch (SdkClientException e) {
            throw new ConfigException(
                    "",
                    "AWS KMS cannot be asked: "
                            + String.valueOf(e.getMessage()).lines().findFirst().orElse(""),
                    "credentials, a region and a way to AWS KMS");
        }
    }

    private static KmsClient client(String keyId) {
        KmsClientBuilder builder = KmsClient.builder()
                .httpClient(UrlConnectionHttpClient.create())
                .overrideConfiguration(
                        settings -> settings.apiCallTimeout(PATIENCE).apiCallAttemptTimeout(ATTEMPT));
        Matcher arn = ARN.matcher(keyId);
        return arn.matches() ? builder.region(Region.of(arn.group(1))).build() : builder.build();
    }
}
