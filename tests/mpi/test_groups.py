"""Standard errors clustered by communities with --engine petsc: the communities of one process,
whichever rank owns their members."""

import random
import unittest

from rank_support import RanksTest, on_ranks


class Communities(RanksTest):
    estimators = "dm_ols2,dr_ridge,network_dm"

    def write_groups(self, groups=40, members=6, edges_between=25, scattered=False):
        """Complete groups with a common random effect, treated as a whole. Ids are in another order
        than lines."""
        draw = random.Random(5)
        names = [f"p{k}" for k in draw.sample(range(10 * groups * members), groups * members)]
        rows, edges = [], []
        for g in range(groups):
            effect, arm = draw.gauss(0, 1), g % 2
            own = names[g * members:(g + 1) * members]
            for i, name in enumerate(own):
                x = draw.gauss(0, 1)
                outcome = x + 0.5 * arm + effect + draw.gauss(0, 0.3)
                rows.append(f"{name},{arm},{outcome!r},{x!r}\n")
                edges += [f"{name},{other}\n" for other in own[:i]]
        edges += ["{},{}\n".format(*draw.sample(names, 2)) for _ in range(edges_between)]
        if scattered:
            draw.shuffle(rows)
        self.write("nodes.csv", "id,treatment,outcome,x\n" + "".join(rows))
        self.write("edges.csv", "source,target\n" + "".join(edges))

    def test_groups_decide_the_interval(self):
        self.write_groups()
        expected = self.compare(self.folder, "--policy", "treat-all", "treat-none")
        self.assertEqual(expected["treat-all dm_ols2 dependence"], "clusters")
        self.assertGreater(expected["treat-all dm_ols2 by clusters"],
                           1.5 * expected["treat-all dm_ols2 by independent"])

    def test_scattered_members(self):
        self.write_groups(scattered=True)
        expected = self.compare(self.folder, "--policy", "treat-all", ranks=[4])
        self.assertEqual(expected["treat-all dm_ols2 dependence"], "clusters")

    def test_requested_clusters(self):
        self.write_groups()
        expected = self.compare(self.folder, "--policy", "treat-all", "--dependence", "clusters",
                                "--target", "population", ranks=[2, 7])
        self.assertEqual(expected["treat-all dr_ridge dependence"], "clusters")

    def test_groups_with_many_edges_between_them_are_refused_as_in_one_process(self):
        self.write_groups(edges_between=600)
        expected = self.compare(self.folder, "--policy", "treat-all", ranks=[3])
        self.assertIn("treat-all dm_ols2 by clusters", expected)
        self.assertNotEqual(expected["treat-all dm_ols2 dependence"], "clusters")

    def test_no_warning_about_communities(self):
        self.write_groups()
        run = on_ranks(2, "evaluate", self.folder, "--policy", "treat-all", "--engine", "petsc",
                       "--estimators", "dm_ols2")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("communities", run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
