package dev.sallyport.server.cli;

import dev.sallyport.server.Failure;
import java.io.PrintWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports problems on standard error: one line for each, never a stack trace. */
final class ProblemPrinter {

    private ProblemPrinter() {}

    /** Reports what ended a command; returns the exit code. */
    static int report(Throwable fault, PrintWriter err) {
        if (fault instanceof Failure failure) {
            failure.problems().forEach(problem -> line(err, problem));
        } else if (fault instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            line(err, "interrupted");
        } else {
            Logger log = LoggerFactory.getLogger(ProblemPrinter.class);
            line(err, "a fault in " + whose(fault) + ": " + fault);
            log.debug("the fault", fault);
        }
        return ExitCode.PROBLEM;
    }

    /** The class loader of a plug-in in the folder {@code plugins} is named after the plug-in's place. */
    private static String whose(Throwable fault) {
        for (StackTraceElement frame : fault.getStackTrace()) {
            String loader = frame.getClassLoaderName();
            if (loader != null && !loader.equals("app") && !loader.equals("platform")) {
                return "the plug-in " + loader;
            }
        }
        return "Sallyport itself";
    }

    /** Always one line, whatever it contains. */
    static void line(PrintWriter err, String problem) {
        err.println("sallyport: " + problem.replace('\n', ' ').replace('\r', ' '));
        err.flush();
    }
}
