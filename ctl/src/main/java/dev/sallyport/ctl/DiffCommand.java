package dev.sallyport.ctl;

import dev.sallyport.ctl.apply.Manifests;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.problem.Problem;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code diff}. */
@Command(name = "diff", description = "Show what apply would change; the exit code is 1 when something differs.")
final class DiffCommand implements Callable<Integer> {

    private final Ctl ctl;

    @Mixin
    Applying.Wanted wanted = new Applying.Wanted();

    DiffCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    @Override
    public Integer call() throws Problem, InterruptedException {
        Applying applying = new Applying(ctl);
        Manifests manifests = applying.read(wanted);
        try (ApiClient api = ctl.signedIn()) {
            return applying.show(applying.plan(manifests, api, wanted));
        }
    }
}
