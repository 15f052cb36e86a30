/** The subset of Go templates with which credentials are formatted. */
@NullMarked
package dev.sallyport.toolkit.template;

import org.jspecify.annotations.NullMarked;
