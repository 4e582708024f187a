/** Every template of `limbeck init`, from the packed tarball; `package.system.test.ts` has the first of them. */
import { templates } from "../src/cli/init/templates.ts";
import { installedOnce } from "./support/installed-package.ts";
import { templateProjects } from "./support/template-projects.ts";

templateProjects(installedOnce(), Object.keys(templates));
