/* html_hazard.h: hazards in words, with their source lines */
#ifndef TIMELINE_HTML_HAZARD_H
#define TIMELINE_HTML_HAZARD_H

#include "out.h"
#include "view.h"

#define HTML_MAX_HAZARDS 20 /* of one trace; more are counted */

/* Write what each hazard of a view is, with both source lines quoted. Nothing
 * where there is none.
 * @folder  where the source files are; NULL: lines are only named
 */
void tl_html_put_hazards(const struct view *v, const char *folder,
                         struct out *o);

#endif
