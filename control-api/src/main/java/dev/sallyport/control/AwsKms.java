package dev.sallyport.control;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.KeyService;
import java.util.Map;

/**
 * A symmetric key of AWS KMS. What it encrypts is bound to this use. Blocks.
 *
 * @param service the part of this installation that asks it
 * @param keyId identifier, ARN or alias
 */
record AwsKms(KeyService service, String keyId) {

    static final String POINTER = "/encryption/kms_key_id";

    private static final Map<String, String> CONTEXT = Map.of("application", "sallyport-control");

    /** That of an identifier. */
    static AwsKms key(String keyId) throws ConfigException {
        KeyService service = KeyService.named("aws_kms", AwsKms.class.getClassLoader())
                .orElseThrow(() -> new ConfigException(
                        POINTER, "AWS KMS is no part of this installation", "sallyport-aws-kms on the class path"));
        return new AwsKms(service, keyId);
    }

    byte[] encrypt(byte[] plain) throws ConfigException {
        try {
            return service.encrypt(keyId, CONTEXT, plain);
        } catch (ConfigException e) {
            throw here(e);
        }
    }

    byte[] decrypt(byte[] sealed) throws ConfigException {
        try {
            return service.decrypt(keyId, CONTEXT, sealed);
        } catch (ConfigException e) {
            throw here(e);
        }
    }

    private static ConfigException here(ConfigException e) {
        return new ConfigException(POINTER, String.valueOf(e.getMessage()), e.expected()).causedBy(e);
    }
}
