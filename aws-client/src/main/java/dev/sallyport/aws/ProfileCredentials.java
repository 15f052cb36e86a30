package dev.sallyport.aws;

import dev.sallyport.spi.HttpCaller;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.ContainerCredentialsProvider;
import software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider;
import software.amazon.awssdk.auth.credentials.InstanceProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.profiles.Profile;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.profiles.ProfileFileSupplier;
import software.amazon.awssdk.profiles.ProfileFileSystemSetting;
import software.amazon.awssdk.profiles.ProfileProperty;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.auth.StsAssumeRoleCredentialsProvider;
import software.amazon.awssdk.services.sts.auth.StsWebIdentityTokenFileCredentialsProvider;
import software.amazon.awssdk.services.sts.model.AssumeRoleRequest;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/**
 * The credentials of the profile that {@code AWS_PROFILE} names. STS is asked for roles through the proxy's own
 * client; everything else is left to the SDK. Follows changes of the files. Thread-safe.
 */
final class ProfileCredentials implements AwsCredentialsProvider, SdkAutoCloseable {

    private static final String SESSION = "sallyport";

    private final Supplier<Region> region;
    private final HttpCaller http;
    private final Supplier<ProfileFile> files = ProfileFileSupplier.defaultSupplier();

    // Guarded by this.
    private @Nullable ProfileFile read;
    private @Nullable AwsCredentialsProvider provider;
    private final List<StsClient> clients = new ArrayList<>();

    /** @param region where STS is asked for the roles of profiles without a region */
    ProfileCredentials(Supplier<Region> region, HttpCaller http) {
        this.region = region;
        this.http = http;
    }

    @Override
    public AwsCredentials resolveCredentials() {
        return current().resolveCredentials();
    }

    private synchronized AwsCredentialsProvider current() {
        ProfileFile now = files.get();
        AwsCredentialsProvider known = provider;
        if (known == null || !now.equals(read)) {
            close();
            known = of(now, ProfileFileSystemSetting.AWS_PROFILE.getStringValueOrThrow(), new HashSet<>());
            provider = known;
            read = now;
        }
        return known;
    }

    /** @param from the profiles that lead here by their {@code source_profile} */
    private AwsCredentialsProvider of(ProfileFile file, String name, Set<String> from) {
        Profile profile = file.profile(name).orElse(null);
        String role = profile == null ? null : property(profile, ProfileProperty.ROLE_ARN);
        if (profile == null || role == null) {
            return ProfileCredentialsProvider.builder()
                    .profileFile(file)
                    .profileName(name)
                    .build();
        }
        if (!from.add(name)) {
            return ownKey(profile);
        }
        String token = property(profile, ProfileProperty.WEB_IDENTITY_TOKEN_FILE);
        return token == null ? assumed(file, profile, role, from) : exchanged(profile, role, token);
    }

    /** A profile that names itself as its source has the key that may assume its role. */
    private static AwsCredentialsProvider ownKey(Profile profile) {
        String id = property(profile, ProfileProperty.AWS_ACCESS_KEY_ID);
        String key = property(profile, ProfileProperty.AWS_SECRET_ACCESS_KEY);
        if (id == null || key == null) {
            throw SdkClientException.create("the profile " + profile.name() + " leads back to itself");
        }
        String session = property(profile, ProfileProperty.AWS_SESSION_TOKEN);
        return StaticCredentialsProvider.create(
                session == null ? AwsBasicCredentials.create(id, key) : AwsSessionCredentials.create(id, key, session));
    }

    private AwsCredentialsProvider exchanged(Profile profile, String role, String token) {
        return StsWebIdentityTokenFileCredentialsProvider.builder()
                .stsClient(sts(profile, AnonymousCredentialsProvider.create()))
                .roleArn(role)
                .roleSessionName(session(profile))
                .webIdentityTokenFile(Path.of(token))
                .build();
    }

    private AwsCredentialsProvider assumed(ProfileFile file, Profile profile, String role, Set<String> from) {
        AssumeRoleRequest.Builder request =
                AssumeRoleRequest.builder().roleArn(role).roleSessionName(session(profile));
        String external = property(profile, ProfileProperty.EXTERNAL_ID);
        if (external != null) {
            request.externalId(external);
        }
        String seconds = property(profile, ProfileProperty.DURATION_SECONDS);
        if (seconds != null) {
            request.durationSeconds(duration(profile, seconds));
        }
        return StsAssumeRoleCredentialsProvider.builder()
                .stsClient(sts(profile, source(file, profile, from)))
                .refreshRequest(request.build())
                .build();
    }

    private StsClient sts(Profile profile, AwsCredentialsProvider caller) {
        String own = property(profile, ProfileProperty.REGION);
        StsClient client = new LazySts(caller, own == null ? region : () -> Region.of(own), http);
        clients.add(client);
        return client;
    }

    private static int duration(Profile profile, String seconds) {
        try {
            return Integer.parseInt(seconds);
        } catch (NumberFormatException e) {
            throw SdkClientException.create("duration_seconds of the profile " + profile.name() + " is no number", e);
        }
    }

    /** Who assumes the role. */
    private AwsCredentialsProvider source(ProfileFile file, Profile profile, Set<String> from) {
        String other = property(profile, ProfileProperty.SOURCE_PROFILE);
        if (other != null) {
            return of(file, other, from);
        }
        return switch (property(profile, ProfileProperty.CREDENTIAL_SOURCE)) {
            case "Environment" -> EnvironmentVariableCredentialsProvider.create();
            case "EcsContainer" -> ContainerCredentialsProvider.builder().build();
            case "Ec2InstanceMetadata" -> InstanceProfileCredentialsProvider.create();
            case null, default ->
                throw SdkClientException.create("the profile " + profile.name() + " does not say who assumes its role");
        };
    }

    private static String session(Profile profile) {
        return Objects.requireNonNullElse(property(profile, ProfileProperty.ROLE_SESSION_NAME), SESSION);
    }

    private static @Nullable String property(Profile profile, String name) {
        return profile.property(name).orElse(null);
    }

    @Override
    public synchronized void close() {
        if (provider instanceof SdkAutoCloseable closeable) {
            closeable.close();
        }
        provider = null;
        clients.forEach(StsClient::close);
        clients.clear();
    }
}
