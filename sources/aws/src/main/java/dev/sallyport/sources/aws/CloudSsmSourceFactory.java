package dev.sallyport.sources.aws;

import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SourceContext;

/**
 * The source {@code cloud_ssm}, also called {@code aws_ssm}: a parameter of the parameter store of AWS Systems Manager.
 */
public final class CloudSsmSourceFactory implements SecretSourceFactory<CloudSsmSource> {

    /** For {@link java.util.ServiceLoader}. */
    public CloudSsmSourceFactory() {}

    @Override
    public Descriptor<CloudSsmSource> descriptor() {
        return Descriptor.of(
                        "cloud_ssm",
                        CloudSsmSource.class,
                        "Reads a parameter of the parameter store of AWS Systems Manager.")
                .alsoNamed("aws_ssm");
    }

    @Override
    public void validate(CloudSsmSource config, Problems problems) {
        Fields.name("/name", config.name(), "a name or ARN such as /prod/github-token", problems);
        Fields.region(config.region(), problems);
        Fields.endpoint(config.endpoint(), problems);
    }

    @Override
    public SecretSource create(CloudSsmSource config, SourceContext context) {
        ServiceLocation location = new ServiceLocation(context.type(), config.region(), config.endpoint());
        return new AwsSource<>(
                config.name(), location, new ParameterStore(config.name(), config.withDecryption()), context);
    }
}
