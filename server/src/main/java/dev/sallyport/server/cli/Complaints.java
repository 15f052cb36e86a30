package dev.sallyport.server.cli;

import dev.sallyport.server.Failure;
import java.io.PrintWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says on standard error what is wrong: one line for each problem, never a stack trace. */
final class Complaints {

    private Complaints() {}

    /** What ended a command; returns its exit code. */
    static int about(Throwable fault, PrintWriter err) {
        if (fault instanceof Failure failure) {
            failure.problems().forEach(problem -> line(err, problem));
        } else if (fault instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            line(err, "interrupted");
        } else {
            Logger log = LoggerFactory.getLogger(Complaints.class);
            line(err, "a fault in " + whose(fault) + ": " + fault);
            log.debug("the fault", fault);
        }
        return ExitCode.PROBLEM;
    }

    /** A class loader of the folder {@code plugins} is called by its place. */
    private static String whose(Throwable fault) {
        for (StackTraceElement frame : fault.getStackTrace()) {
            String loader = frame.getClassLoaderName();
            if (loader != null && !loader.equals("app") && !loader.equals("platform")) {
                return "the plug-in " + loader;
            }
        }
        return "Sallyport itself";
    }

    /** One line, whatever is in it. */
    static void line(PrintWriter err, String problem) {
        err.println("sallyport: " + problem.replace('\n', ' ').replace('\r', ' '));
        err.flush();
    }
}
