package dev.sallyport.sources.aws;

import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SourceContext;

/** The source {@code cloud_sm}, also called {@code aws_sm}: a secret of the AWS Secrets Manager, text or binary. */
public final class CloudSmSourceFactory implements SecretSourceFactory<CloudSmSource> {

    /** For {@link java.util.ServiceLoader}. */
    public CloudSmSourceFactory() {}

    @Override
    public Descriptor<CloudSmSource> descriptor() {
        return Descriptor.of("cloud_sm", CloudSmSource.class, "Reads a secret of the AWS Secrets Manager.")
                .alsoNamed("aws_sm");
    }

    @Override
    public void validate(CloudSmSource config, Problems problems) {
        Fields.name("/secret_id", config.secretId(), "a name or ARN such as prod/github-token", problems);
        Fields.region(config.region(), problems);
        Fields.endpoint(config.endpoint(), problems);
    }

    @Override
    public SecretSource create(CloudSmSource config, SourceContext context) {
        ServiceLocation location = new ServiceLocation(context.type(), config.region(), config.endpoint());
        return new AwsSource<>(config.secretId(), location, new SecretsManager(config.secretId()), context);
    }
}
