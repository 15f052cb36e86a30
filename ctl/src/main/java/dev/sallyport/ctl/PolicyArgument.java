package dev.sallyport.ctl;

import dev.sallyport.ctl.problem.Problem;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The policy that a command is about. */
final class PolicyArgument {

    @Parameters(paramLabel = "POLICY", description = "Which policy.")
    private String policy = "";

    @Mixin
    private KindOption kind = new KindOption();

    /** @throws Problem when the kind cannot be told, or is told twice */
    PolicyRef ref() throws Problem {
        return PolicyRef.parse(policy, kind.kind());
    }
}
