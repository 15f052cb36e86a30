package dev.sallyport.sources.aws;

import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretValue;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClient;
import software.amazon.awssdk.services.secretsmanager.model.GetSecretValueResponse;

/** The current version of a secret of the Secrets Manager. */
record SecretsManager(String secretId) implements AwsService<SecretsManagerClient> {

    @Override
    public SecretsManagerClient connect(Setup setup) {
        return setup.apply(SecretsManagerClient.builder()).build();
    }

    @Override
    public SecretValue ask(SecretsManagerClient client) throws SecretException {
        GetSecretValueResponse answer = client.getSecretValue(request -> request.secretId(secretId));
        String text = answer.secretString();
        if (text != null) {
            return SecretValue.of(text);
        }
        SdkBytes binary = answer.secretBinary();
        if (binary != null) {
            return SecretValue.of(binary.asByteArrayUnsafe());
        }
        throw new SecretException("it has neither text nor bytes");
    }

    @Override
    public String noun() {
        return "secret";
    }

    @Override
    public String permission() {
        return "secretsmanager:GetSecretValue";
    }
}
