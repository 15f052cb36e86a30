/** Tests of the configuration. */
@NullMarked
package dev.sallyport.core.config;

import org.jspecify.annotations.NullMarked;
