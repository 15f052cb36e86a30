package dev.sallyport.sources.aws;

import dev.sallyport.aws.CallerHttpClient.NoReplyException;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * Explains why there is no value. Only the service's error code is repeated: its messages about signatures quote the
 * session token, others contain request ids.
 */
final class FailureReason {

    private static final Pattern CODE = Pattern.compile("[A-Za-z][A-Za-z0-9._-]{0,63}");

    private static final Set<String> ABSENT =
            Set.of("ResourceNotFoundException", "ParameterNotFound", "ParameterVersionNotFound");
    private static final Set<String> DENIED = Set.of("AccessDeniedException", "AccessDenied", "UnauthorizedOperation");
    private static final Set<String> UNKNOWN_CALLER = Set.of(
            "UnrecognizedClientException",
            "InvalidSignatureException",
            "SignatureDoesNotMatch",
            "ExpiredTokenException",
            "ExpiredToken",
            "InvalidClientTokenId",
            "InvalidAccessKeyId",
            "IncompleteSignature",
            "IncompleteSignatureException",
            "MissingAuthenticationToken",
            "MissingAuthenticationTokenException",
            "RequestExpired",
            "OptInRequired");
    private static final Set<String> UNREADABLE =
            Set.of("DecryptionFailure", "InvalidKeyId", "KmsKeyDisabledException", "KmsKeyNotFoundException");

    private FailureReason() {}

    static String of(SdkException failure, AwsService<?> service) {
        if (failure instanceof AwsServiceException refusal) {
            return refused(refusal, code(refusal), service);
        }
        NoReplyException none = noReply(failure);
        return none == null
                ? "the answer cannot be used (expected: an AWS endpoint, or a compatible one)"
                : "no answer: " + none.getMessage();
    }

    private static String refused(AwsServiceException refusal, String code, AwsService<?> service) {
        if (ABSENT.contains(code)) {
            return "there is no such " + service.noun();
        }
        if (DENIED.contains(code)) {
            return "access denied (expected: permission for " + service.permission()
                    + ", and for kms:Decrypt with the key that encrypts it)";
        }
        if (UNKNOWN_CALLER.contains(code)) {
            return "the credentials are not accepted: " + code;
        }
        if (UNREADABLE.contains(code)) {
            return "it cannot be decrypted: " + code;
        }
        if (refusal.isThrottlingException()) {
            return "throttled, after " + refusal.numAttempts() + " attempts: " + code;
        }
        String status = "status " + refusal.statusCode();
        return refusal.statusCode() >= 500
                ? "the service failed: " + status + ", " + code
                : "refused: " + status + ", " + code;
    }

    private static String code(AwsServiceException refusal) {
        String code = refusal.awsErrorDetails() == null
                ? null
                : refusal.awsErrorDetails().errorCode();
        return code != null && CODE.matcher(code).matches() ? code : "no error code";
    }

    private static @Nullable NoReplyException noReply(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof NoReplyException none) {
                return none;
            }
        }
        return null;
    }
}
