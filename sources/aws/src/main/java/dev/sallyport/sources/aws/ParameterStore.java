package dev.sallyport.sources.aws;

import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretValue;
import software.amazon.awssdk.services.ssm.SsmClient;
import software.amazon.awssdk.services.ssm.model.Parameter;

/** A parameter of the parameter store. A list of strings is the text that the store keeps, with its commas. */
record ParameterStore(String parameter, boolean withDecryption) implements AwsService<SsmClient> {

    @Override
    public SsmClient connect(Setup setup) {
        return setup.apply(SsmClient.builder()).build();
    }

    @Override
    public SecretValue ask(SsmClient client) throws SecretException {
        Parameter answer = client.getParameter(
                        request -> request.name(parameter).withDecryption(withDecryption))
                .parameter();
        if (answer == null || answer.value() == null) {
            throw new SecretException("it has no value");
        }
        return SecretValue.of(answer.value());
    }

    @Override
    public String noun() {
        return "parameter";
    }

    @Override
    public String permission() {
        return "ssm:GetParameter";
    }
}
