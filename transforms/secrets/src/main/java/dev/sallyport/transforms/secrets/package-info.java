/** The transform {@code secrets}: puts real credentials where the workload sent placeholders. */
@NullMarked
package dev.sallyport.transforms.secrets;

import org.jspecify.annotations.NullMarked;
