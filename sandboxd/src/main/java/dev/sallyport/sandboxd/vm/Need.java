package dev.sallyport.sandboxd.vm;

/**
 * Something that the driver, or who works with it, needs of the machine.
 *
 * @param name what
 * @param required whether no VM runs without it
 * @param met whether it is there
 * @param found what is there, or what is wrong
 * @param remedy what to do; empty when it is met
 */
public record Need(String name, boolean required, boolean met, String found, String remedy) {

    /** One that is there. */
    public static Need met(String name, String found) {
        return new Need(name, true, true, found, "");
    }

    /** One that is not there. */
    public static Need missing(String name, String found, String remedy) {
        return new Need(name, true, false, found, remedy);
    }

    /** One without which VMs run. */
    public Need optional() {
        return new Need(name, false, met, found, remedy);
    }

    /** What is wrong, and what to do. */
    public String problem() {
        return found + " (expected: " + remedy + ")";
    }
}
